import type { Contestant } from "../measure/workload.ts";
import type { RunOrdered } from "./job.ts";

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
export const contestants: readonly Contestant<RunOrdered>[] = [
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
