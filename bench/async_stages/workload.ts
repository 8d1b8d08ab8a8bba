import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants, makeSteps, type RunAsync } from "./contestants.ts";

function prepare(run: RunAsync, { params }: CaseRequest): PreparedCase {
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
    verify() {
      assert(taken === chunks.length, `${taken} of ${chunks.length} chunks`);
      return { chunks: taken, bytes: 0, digest: `${digest}` };
    },
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
  bars: [
    bar("pipeline", "async-generators", { atMost: 0.8 }),
    bar("pipeline", "hand", {
      atMost: 2,
      whyMissed:
        "The loop has one chunk under way, where a chain has one in each stage that waits. `then` with functions that " +
        "are made once, one a stage, and nothing else of the library, already costs 1.5, 1.2 and 1.0 times the loop in " +
        "Deno, Bun and Node for five stages; one async function a chunk 1.5, 1.4 and 1.2. Kept: a chunk whose promise " +
        "has settled walks on at once if nothing else waits (.6 to .8 of before). Tried, without gain: no check for a " +
        "completion of the library's own, no `Promise.resolve`, no promise of `then` kept. First runs also compile " +
        "some fifteen functions.",
    }),
  ],
  contestants,
  prepare,
});
