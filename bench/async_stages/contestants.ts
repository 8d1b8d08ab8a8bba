import { adaptChains } from "../chains/contestants.ts";
import type { Contestant } from "../measure/workload.ts";
import type { Observable } from "rxjs";

/** Each third step answers with a promise. */
const every = 3;

/** Steps that differ, as those of real chains do; `waits` tells which of them answer with a promise. */
export function makeSteps(count: number): AsyncStep[] {
  return Array.from(
    { length: count },
    (_, index) =>
      waits(index)
        ? (chunk: number) => Promise.resolve(chunk + index)
        : (chunk: number) => chunk + index,
  );
}

/** Whether the step at `index` answers with a promise. */
function waits(index: number): boolean {
  return index % every === every - 1;
}

/** One step: it answers at once, or with a promise that is resolved already. */
export type AsyncStep = (chunk: number) => number | Promise<number>;

/** A chain of which some steps answer with promises: every contestant gets the same chunks and steps. */
interface AsyncJob {
  readonly chunks: readonly number[];
  readonly steps: readonly AsyncStep[];
  take(chunk: number): void;
}

/** Builds the chain and drains it; a contestant is one such function. */
export type RunAsync = (job: AsyncJob) => Promise<void>;

/** Every contestant of async_stages, each as its own users write it. */
export const contestants: readonly Contestant<RunAsync>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop that awaits what is a promise",
    set: "tour",
    whyFaster:
      "the loop takes one chunk at a time: while it waits for a promise, no other stage works",
    load: () => async ({ chunks, steps, take }) => {
      for (const chunk of chunks) {
        let result = chunk;
        for (let index = 0; index < steps.length; index++) {
          const answer = steps[index]!(result);
          result = waits(index) ? await answer : answer as number;
        }
        take(result);
      }
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over map",
    set: "tour",
    load: async () => {
      const { map, pipeline: runPipeline } = await import("../../mod.ts");

      return async ({ chunks, steps, take }) => {
        const stages = steps.map((step) => map(step)) as [Transformer<number, number>];
        await runPipeline(chunks, ...stages, take);
      };
    },
  },
  {
    name: "generator-stages",
    about: "hosepipe: pipeline over the same generators, each a stage",
    set: "publish",
    load: async () => {
      const { pipeline: runPipeline } = await import("../../mod.ts");

      function map(step: AsyncStep) {
        return async function* (chunks: AsyncIterable<number>): AsyncGenerator<number> {
          // What is yielded is waited for.
          for await (const chunk of chunks) yield step(chunk);
        };
      }

      function mapAtOnce(step: AsyncStep) {
        return async function* (chunks: AsyncIterable<number>): AsyncGenerator<number> {
          for await (const chunk of chunks) yield step(chunk) as number;
        };
      }
      return async ({ chunks, steps, take }) => {
        const stages = steps.map((step, index) => (waits(index) ? map : mapAtOnce)(step));
        await runPipeline(chunks, ...stages as [ReturnType<typeof map>], take);
      };
    },
  },
  {
    name: "rxjs",
    about: "RxJS: from, map, and concatMap where a step answers with a promise",
    package: "rxjs",
    note: "has no backpressure: concatMap keeps what it cannot take yet",
    set: "tour",
    load: async () => {
      const { concatMap, from, lastValueFrom, map, tap } = await import("rxjs");

      return async ({ chunks, steps, take }) => {
        let stream: Observable<number> = from(chunks);
        steps.forEach((step, index) => {
          stream = stream.pipe(
            waits(index)
              ? concatMap((chunk) => step(chunk) as Promise<number>)
              : map((chunk) => step(chunk) as number),
          );
        });
        await lastValueFrom(stream.pipe(tap(take)), { defaultValue: undefined });
      };
    },
  },
  {
    name: "web",
    about: "one native TransformStream a step",
    set: "publish",
    load: () => async ({ chunks, steps, take }) => {
      let stream = ReadableStream.from(chunks);
      for (const step of steps) {
        stream = stream.pipeThrough(
          new TransformStream<number, number>({
            async transform(chunk, controller) {
              controller.enqueue(await step(chunk));
            },
          }),
        );
      }
      await stream.pipeTo(new WritableStream({ write: take }));
    },
  },
  ...adaptChains(
    {
      "fuse": "publish",
      "async-generators": "tour",
      "stream-chain": "publish",
      "streaming-iterables": "publish",
    },
    ({ chunks, steps, take }: AsyncJob) => ({
      source: () => chunks,
      isBatched: false,
      steps: steps.map((fn) => ({ kind: "map", fn })),
      write: take,
    }),
  ),
];
