import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { choiceParam, defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants } from "./contestants.ts";
import type { RunThreads, ThreadsKind } from "./job.ts";
import { projectLines, stepOf } from "./steps.ts";

const blockSize = 65_536;

/** What a thousand chunks are of each kind; a block has 64 KiB. */
const shares: Readonly<Record<ThreadsKind, number>> = {
  ...{ ndjson: 1, gzip: 1, match: 10, hash: 4, tiny: 2000 },
};

function linesOf(length: number): Uint8Array {
  let text = "";
  for (let id = 0; text.length < length; id++) {
    const total = id * 7919 % 100_003 / 100;
    text += `${
      JSON.stringify({ id, total, isPaid: id % 4 > 0, name: `customer ${id}`, note: "x" })
    }\n`;
  }
  return new TextEncoder().encode(text);
}

function cutBlocks(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += blockSize) blocks.push(bytes.slice(at, at + blockSize));
  return blocks;
}

/** The chunks of so many blocks of work. */
function makeChunks(kind: ThreadsKind, blocks: number): unknown[] {
  const count = Math.ceil(blocks * shares[kind]);
  if (kind === "tiny") return Array.from({ length: count }, (_, index) => index);
  if (kind === "match") {
    const words = "write to ann.smith@mail.example.com or to no one at all, please ".repeat(70);
    return Array.from({ length: count }, (_, index) => `${words}${index}@example.org`);
  }
  return cutBlocks(linesOf(count * blockSize));
}

/** The results as one text, so that it does not matter into how many chunks they came. */
function describe(kind: ThreadsKind, results: readonly unknown[]): string {
  if (kind !== "gzip" && kind !== "ndjson") return results.join(",");
  const decoder = new TextDecoder();
  const bytesOf = (one: Uint8Array) => kind === "gzip" ? gunzipSync(one) : one;
  return results.map((one) => decoder.decode(bytesOf(one as Uint8Array), { stream: true })).join(
    "",
  );
}

function prepare(run: RunThreads, { params }: CaseRequest): PreparedCase {
  const kind = params.job as ThreadsKind;
  const chunks = makeChunks(kind, Number(params.chunks));
  const whole = kind === "ndjson"
    ? [projectLines(Uint8Array.from((chunks as Uint8Array[]).flatMap((one) => [...one])))]
    : chunks.map(stepOf(kind));
  const expected = describe(kind, whole);
  let results: unknown[] = [];
  return {
    async run() {
      results = [];
      const take = (result: unknown) => void results.push(result);
      await run({ kind, threads: Number(params.threads), chunks, take });
    },
    verify() {
      const text = describe(kind, results);
      const digest = `${text.length} units of results`;
      assert(text === expected, `${digest}, expected ${expected.length}`);
      return { chunks: chunks.length, bytes: 0, digest };
    },
    isSlowToWarm: true,
  };
}

/** Work that computes, in threads. */
export const threads: Workload = defineWorkload({
  name: "threads",
  about: "threads: lines of JSON, gzip, a regular expression, SHA-256, and next to nothing a chunk",
  params: {
    job: choiceParam("job", {
      about: "what is done with each chunk",
      choices: Object.keys(shares),
    }),
    threads: integerParam("threads", {
      about: "threads",
      maximum: 64,
      values: [2],
    }),
    chunks: integerParam("chunks", {
      about: "blocks of 64 KiB, or so much work: 10 texts, 4 blocks to hash, 2,000 numbers",
      maximum: 100_000,
      values: [300],
      quick: [20],
    }),
  },
  rates: ["ns per chunk"],
  bars: [
    ...["ndjson", "match"].map((job) =>
      bar("pipeline", "in-workers", { params: { job }, atLeast: 1.75 })
    ),
    ...["piscina", "tinypool", "workerpool", "comlink"].map((name) =>
      bar(name, "in-workers", { atLeast: 1 })
    ),
  ],
  contestants,
  prepare,
});
