import { contestants, whyFaster } from "./contestants.ts";
import type { Workload } from "../measure/workload.ts";
import { amountParam, chunksOf } from "../params/amount_param.ts";
import { integerParam } from "../params/integer_param.ts";
import { prepareMemory } from "./prepare_memory.ts";

const peers = ["web", "web_bytes", "node", "pull-stream", "fast-webstreams", "stream_iter"];

/** One chunk again and again, through stages that do nothing: what a stage costs. */
export const passthrough: Workload = {
  name: "passthrough",
  about: "one reused chunk through stages that do nothing, to a sink that counts",
  params: {
    stages: integerParam("stages", {
      about: "stages that do nothing",
      minimum: 0,
      maximum: 1000,
      values: [0, 3, 8, 32],
      quick: [3],
      full: [0, 1, 2, 3, 4, 5, 8, 32],
    }),
    chunkKiB: integerParam("chunkKiB", {
      about: "size of the chunk",
      maximum: 65_536,
      values: [16],
      full: [2, 16, 64],
    }),
    amount: amountParam({
      about: "how much passes: a fixed count or a fixed size, such as 200chunks",
      values: ["64MiB"],
      full: ["1GiB"],
    }),
  },
  contestants: contestants.map(({ load: _, ...entry }) => entry),
  whyFaster,
  rates: ["ns per chunk", "MiB/s"],
  // Asked of 3 stages on; with fewer, one that does nothing at each end may be ahead.
  bars: [3, 8, 32].flatMap((stages) =>
    peers.map((contestant) => ({
      dividend: { contestant, params: { stages } },
      divisor: { contestant: "pipeline", params: { stages } },
      atLeast: 1,
    }))
  ),
  prepare({ contestant, params }) {
    const chunkBytes = Number(params.chunkKiB) * 1024;
    return prepareMemory("passthrough", contestant, {
      chunkBytes,
      count: chunksOf(String(params.amount), chunkBytes),
      stages: Number(params.stages),
    });
  },
};
