import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, Contestant, PreparedCase, Workload } from "../measure/workload.ts";

/** Calls that take 0 to 1 ms each, several at a time, whose results come in order. */
interface OrderedJob {
  readonly count: number;
  readonly concurrency: number;
  /** Calls in flight and results that wait, together. */
  readonly window: number;
  readonly work: (chunk: number) => Promise<number>;
  take(chunk: number): void;
}

/** Runs the job; a contestant is one such function. */
type RunOrdered = (job: OrderedJob) => Promise<void>;

function* countTo(count: number): Generator<number, void, undefined> {
  for (let number = 0; number < count; number++) yield number;
}

/** As many promises as the window holds, of which the oldest is waited for. */
const hand: RunOrdered = async ({ count, concurrency, window, work, take }) => {
  const results: Promise<number>[] = [];
  let [inFlight, next] = [0, 0];
  const begin = (): void => {
    while (next < count && inFlight < concurrency && next - taken < window) {
      inFlight++;
      results[next] = work(next++);
      void results[next - 1]!.then(() => {
        inFlight--;
        begin();
      });
    }
  };
  let taken = 0;
  begin();
  while (taken < count) {
    take(await results[taken]!);
    delete results[taken++];
    begin();
  }
};

/** Every contestant of ordered, each as its own users write it. */
const contestants: readonly Contestant<RunOrdered>[] = [
  {
    name: "hand",
    about: "control: promises in an array, begun as the oldest is taken",
    load: () => Promise.resolve(hand),
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over parallel",
    async load() {
      const { parallel, pipeline } = await import("../../mod.ts");
      return async ({ count, concurrency, window, work, take }) => {
        await pipeline(countTo(count), parallel(work, { concurrency, window }), take);
      };
    },
  },
  {
    name: "p-map",
    about: "p-map: pMapIterable, its backpressure as long as our window",
    package: "p-map",
    async load() {
      const { pMapIterable } = await import("p-map");
      return async ({ count, concurrency, window, work, take }) => {
        const options = { concurrency, backpressure: window };
        for await (const chunk of pMapIterable(countTo(count), work, options)) take(chunk);
      };
    },
  },
];

/** From 0 to 1 ms, the same in every run. */
function delayOf(chunk: number): number {
  return (chunk * 7919 % 101) / 100;
}

function prepare(run: RunOrdered, { params }: CaseRequest): PreparedCase {
  const count = Number(params.count);
  const [concurrency, window] = [Number(params.concurrency), Number(params.window)];
  let taken = -1;
  let isInOrder = true;
  let [inFlight, maxInFlight] = [0, 0];
  const work = (chunk: number) =>
    new Promise<number>((resolve) => {
      maxInFlight = Math.max(maxInFlight, ++inFlight);
      const end = () => {
        inFlight--;
        resolve(chunk);
      };
      // A timer of less than half a millisecond is none.
      if (delayOf(chunk) < 0.5) queueMicrotask(end);
      else setTimeout(end, 1);
    });
  const take = (chunk: number) => {
    isInOrder &&= chunk === taken;
    taken++;
  };
  return {
    async run() {
      taken = maxInFlight = 0;
      isInOrder = true;
      await run({ count, concurrency, window, work, take });
    },
    verify() {
      assert(taken === count && isInOrder, `${taken} of ${count} chunks, or out of order`);
      assert(maxInFlight <= concurrency, `${maxInFlight} at a time`);
      const extra = { maxInFlight };
      return { chunks: count, bytes: 0, digest: `${count} in order`, extra };
    },
  };
}

/** Work that waits, several at a time, in order: whether a slow call stops the others. */
export const ordered: Workload = defineWorkload({
  name: "ordered",
  about: "numbers through calls of 0 to 1 ms, several at a time, in order",
  params: {
    count: integerParam("count", {
      about: "numbers",
      values: [20_000],
      quick: [2_000],
      publish: [20_000],
    }),
    concurrency: integerParam("concurrency", {
      about: "calls in flight",
      maximum: 100_000,
      values: [100],
    }),
    window: integerParam("window", {
      about: "calls in flight and results that wait, together",
      maximum: 100_000,
      values: [1_000],
      full: [100, 400, 1_000],
    }),
  },
  bars: [bar("pipeline", "p-map", { atMost: 1.1 })],
  set: "publish",
  contestantSet: "publish",
  contestants,
  prepare,
});
