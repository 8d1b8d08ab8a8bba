import { chainContestants } from "../chains/contestants.ts";
import type { Contestant } from "../measure/workload.ts";
import { countUp } from "./count_up.ts";
import type { RunShort } from "./job.ts";

/** These work on what is read at a time, and here that is one chunk. */
const absent = ["fuse-batched", "web-16", "generators", "iterator-helpers", "step-list"];

/** These begin and end in native streams, as a request does: the source is one, and a default reader drains it. */
const native: Readonly<Record<string, () => Promise<RunShort>>> = {
  web: async () => (await import("./contestants/web.ts")).web,
  fuse: async () => (await import("./contestants/fuse.ts")).fuse,
  pipeline: async () => (await import("./contestants/pipeline.ts")).pipeline,
};

/** Every contestant of short_streams: the loop by hand, and all that build any chain. */
export const contestants: readonly Contestant<RunShort>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop",
    set: "tour",
    load: () => async ({ chunks, steps, take }) => {
      for await (const number of countUp(chunks)) {
        let result = number;
        for (const { fn } of steps) result = fn(result);
        take(result);
      }
    },
  },
  ...chainContestants.filter(({ name }) => !absent.includes(name)).map((
    { whyFaster: _, ...entry },
  ): Contestant<RunShort> => ({
    ...entry,
    async load() {
      const own = native[entry.name];
      if (own !== undefined) return await own();
      const run = await entry.load();
      return ({ chunks, steps, take }) =>
        run({ source: () => countUp(chunks), isBatched: false, steps, write: take });
    },
  })),
];
