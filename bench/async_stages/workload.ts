import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants, makeSteps, type RunAsync } from "./contestants.ts";

function prepare(run: RunAsync, { contestant, params }: CaseRequest): PreparedCase {
  const chunks = Array.from({ length: Number(params.chunks) }, (_, index) => index);
  const steps = makeSteps(Number(params.stages));
  let taken = -1;
  let digest = 0;
  const take = (chunk: number) => {
    // The order counts, too.
    digest = (digest * 31 + chunk) % 1_000_000_007;
    taken++;
  };
  return {
    async run() {
      taken = digest = 0;
      await run({ chunks, steps, take });
    },
    async verify() {
      if (taken !== chunks.length) {
        throw new Error(`Cannot accept ${contestant}: ${taken} of ${chunks.length} chunks`);
      }
      return await Promise.resolve({ chunks: taken, bytes: 0, digest: `${digest}` });
    },
    dispose: () => Promise.resolve(),
  };
}

/** Stages that wait: what a promise costs on its way through a chain. */
export const asyncStages: Workload = defineWorkload({
  name: "async_stages",
  about: "numbers through stages of which each third answers with a promise that is resolved",
  set: "tour",
  params: {
    chunks: integerParam("chunks", {
      about: "numbers",
      values: [20_000],
      quick: [2_000],
      tour: [10_000],
      publish: [20_000],
    }),
    stages: integerParam("stages", {
      about: "stages; each third answers with a promise",
      minimum: 0,
      maximum: 1_000,
      values: [5, 20, 60],
      quick: [5],
      tour: [20],
      publish: [5, 20, 60],
      full: [5, 20, 60],
    }),
  },
  rates: ["ns per chunk"],
  bars: [{
    ...{ dividend: { contestant: "pipeline" }, divisor: { contestant: "async-generators" } },
    atMost: 0.8,
  }, {
    ...{ dividend: { contestant: "pipeline" }, divisor: { contestant: "hand" }, atMost: 2 },
    whyMissed:
      "The loop has one chunk under way, where a chain has one in each stage that waits: each waits for its own " +
      "promise, keeps the chunk that comes meanwhile and looks whether the stage before it may go on, 60 to 140 ns " +
      "a promise (`--cpu-prof` in Node: a sixth of it is garbage, most of the rest the promise itself). Async " +
      "functions that loop, one a stage, cost as much as `then` with functions that are made once. Tried besides: a " +
      "chunk passed on in the step in which it comes, and the chain looked through only around the stage that has " +
      "settled (kept: together 2 to 2.7 times as fast); fewer checks where a chunk leaves a queue (nothing). Remaining: " +
      "a stage that never waits keeps a chunk before one that does, as a `TransformStream` would.",
  }],
  contestants,
  prepare,
});
