import { contestants, whyFaster } from "./contestants.ts";
import type { Workload } from "../measure/workload.ts";
import { amountParam, chunksOf } from "../params/amount_param.ts";
import { choiceParam } from "../params/choice_param.ts";
import { integerParam } from "../params/integer_param.ts";
import { makeChunk } from "./make_chunk.ts";
import { prepareMemory } from "./prepare_memory.ts";

const marks = ["default", "low", "high"];

/** Half a chunk or two; of chunks the half is 1, which pauses in the same places. */
function highWaterMarkOf(mark: string, isObjectMode: boolean, size: number): number | undefined {
  if (mark === "default") return undefined;
  if (isObjectMode) return mark === "low" ? 1 : 2;
  return mark === "low" ? size / 2 : size * 2;
}

/** One chunk, again and again, straight to a sink that counts: what handing it over costs. */
export const memoryToNull: Workload = {
  name: "memory_to_null",
  about: "one reused chunk, handed to a sink that counts chunks and bytes",
  isSwept: true,
  params: {
    chunkKiB: integerParam("chunkKiB", {
      about: "size of the chunk",
      maximum: 65_536,
      values: [2, 16, 64],
      quick: [16],
      full: [2, 4, 8, 16, 32, 64, 128, 256, 512],
    }),
    highWaterMark: choiceParam("highWaterMark", {
      about: "of each buffer: what the API takes by itself, half a chunk (low), two chunks (high)",
      choices: marks,
      values: marks,
      quick: ["default"],
    }),
    amount: amountParam({
      about: "how much passes: a fixed count or a fixed size, such as 1GiB",
      values: ["200chunks"],
      quick: ["64MiB"],
      full: ["200chunks", "1GiB"],
    }),
    kind: choiceParam("kind", {
      about: "what a chunk is: bytes or strings",
      choices: ["bytes", "strings"],
      values: ["bytes"],
    }),
    mode: choiceParam("mode", {
      about: "what buffers count: bytes (byte) or chunks (object)",
      choices: ["byte", "object"],
      values: ["byte"],
    }),
  },
  contestants: contestants.map(({ load: _, ...entry }) => entry),
  whyFaster,
  rates: ["ns per chunk", "MiB/s"],
  bars: [{ dividend: { contestant: "node" }, divisor: { contestant: "pipeline" }, atLeast: 3 }],
  prepare({ contestant, params }) {
    const size = Number(params.chunkKiB) * 1024;
    const isObjectMode = params.mode === "object";
    return prepareMemory("memory_to_null", contestant, {
      chunk: makeChunk(String(params.kind), size),
      count: chunksOf(String(params.amount), size),
      isObjectMode,
      highWaterMark: highWaterMarkOf(String(params.highWaterMark), isObjectMode, size),
      stages: 0,
    });
  },
};
