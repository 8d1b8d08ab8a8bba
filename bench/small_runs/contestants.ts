import { adaptChains } from "../chains/contestants.ts";
import { filterSync, mapSync } from "../chains/generators.ts";
import type { Step } from "../chains/job.ts";
import type { Contestant } from "../measure/workload.ts";

/** A short job: some numbers, the odd ones doubled. Every contestant builds and drains it again. */
interface SmallJob {
  readonly chunks: readonly number[];
  increment(chunk: number): number;
  isOdd(chunk: number): boolean;
  double(chunk: number): number;
  /** These three. */
  readonly steps: readonly Step[];
  take(chunk: number): void;
}

/** Builds the three stages and drains them; a contestant is one such function. */
export type RunSmall = (job: SmallJob) => Promise<void> | void;

/** Every contestant of small_runs, each as its own users write it. */
export const contestants: readonly Contestant<RunSmall>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop",
    set: "tour",
    load: () => ({ chunks, increment, isOdd, double, take }) => {
      for (const chunk of chunks) {
        const incremented = increment(chunk);
        if (isOdd(incremented)) take(double(incremented));
      }
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over map and filter",
    set: "tour",
    load: async () => {
      const { filter, map, pipeline: runPipeline } = await import("../../mod.ts");

      return async ({ chunks, increment, isOdd, double, take }) => {
        await runPipeline(chunks, map(increment), filter(isOdd), map(double), take);
      };
    },
  },
  {
    name: "to-array",
    about: "hosepipe: toArray over the same",
    set: "publish",
    load: async () => {
      const { filter, map, toArray: gather } = await import("../../mod.ts");

      return async ({ chunks, increment, isOdd, double, take }) => {
        for (const chunk of await gather(chunks, map(increment), filter(isOdd), map(double))) {
          take(chunk);
        }
      };
    },
  },
  {
    name: "generators",
    about: "a chain of sync generators",
    set: "publish",
    whyFaster:
      "sync generators cannot wait: they never check whether a chunk is a promise, and never give the event loop a turn",
    load: () => ({ chunks, increment, isOdd, double, take }) => {
      const odd = filterSync(mapSync(chunks, increment), isOdd);
      for (const chunk of mapSync(odd, double)) take(chunk);
    },
  },
  {
    name: "rxjs",
    about: "RxJS: from, map, filter and tap",
    package: "rxjs",
    note: "has no backpressure",
    set: "tour",
    whyFaster:
      "RxJS pushes: it checks neither whether a chunk is a promise nor how long the event loop has waited",
    load: async () => {
      const { filter, from, lastValueFrom, map, tap } = await import("rxjs");

      return async ({ chunks, increment, isOdd, double, take }) => {
        const stream = from(chunks).pipe(map(increment), filter(isOdd), map(double), tap(take));
        await lastValueFrom(stream, { defaultValue: undefined });
      };
    },
  },
  ...adaptChains(
    { "async-generators": "tour", "stream-chain": "publish", "web": "publish" },
    ({ chunks, steps, take }: SmallJob) => ({
      source: () => chunks,
      isBatched: false,
      steps,
      write: take,
    }),
  ),
];
