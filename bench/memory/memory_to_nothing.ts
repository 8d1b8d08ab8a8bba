import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import { contestants, whyFaster } from "./contestants.ts";
import type { Workload } from "../measure/workload.ts";
import { prepareMemory } from "./prepare_memory.ts";

const names = ["hand", "pipeline", "web", "node"];

/** Small chunks by the million: chunks per second, and how far `pipeline` is ahead. */
export const memoryToNothing: Workload = defineWorkload({
  name: "memory_to_nothing",
  about: "millions of chunks of 2 KiB, handed to a sink that counts them",
  isSwept: true,
  params: {
    count: integerParam("count", {
      about: "how many chunks",
      maximum: 1e9,
      values: [4_000_000],
      quick: [200_000],
    }),
  },
  contestants: contestants.filter(({ name }) => names.includes(name)),
  whyFaster,
  rates: ["ns per chunk"],
  bars: [
    { dividend: { contestant: "node" }, divisor: { contestant: "pipeline" }, atLeast: 3 },
    { dividend: { contestant: "web" }, divisor: { contestant: "pipeline" }, atLeast: 8 },
  ],
  prepare: (run, { contestant, params }) =>
    prepareMemory(run, contestant, {
      chunkBytes: 2048,
      count: Number(params.count),
      stages: 0,
    }),
});
