// Over 200 lines: one table, of which each entry is a row of others.
import type { Shape, StageWork } from "./job.ts";

/** Who publishes figures of streams, and where. */
export const judges = {
  node: {
    name: "Node's own benchmarks of Web Streams",
    source: "https://github.com/nodejs/node/tree/main/benchmark/webstreams",
  },
  iter: {
    name: "Node's own benchmarks of `node:stream/iter`",
    source: "https://github.com/nodejs/node/tree/main/benchmark/streams",
  },
  deno: {
    name: "Deno's issue 35768",
    source: "https://github.com/denoland/deno/issues/35768",
  },
  vercel: {
    name: "fast-webstreams",
    source: "https://github.com/vercel-labs/fast-webstreams#benchmarks",
  },
  newStreams: {
    name: "new-streams",
    source: "https://github.com/jasnell/new-streams/tree/main/benchmarks",
  },
} as const;

/** One row of theirs: what it moves, and what they say comes of it. */
export interface OthersRow {
  readonly judge: keyof typeof judges;
  /** What they call it. */
  readonly title: string;
  readonly shape: Shape;
  readonly stages?: readonly StageWork[];
  readonly chunkBytes: number;
  readonly chunks: number;
  readonly isBytes?: boolean;
  readonly readers?: number;
  /** How many times it is made and run; default: 1. */
  readonly runs?: number;
  /** What they claim, in their words' sense. */
  readonly claim: string;
}

const kibi = 1024;
const noFigure = "none: it guards against a loss of speed";
const three: readonly StageWork[] = ["pass", "pass", "pass"];

/** The rows that Node, Deno, fast-webstreams and new-streams publish, by a name of ours. */
export const othersRows: Readonly<Record<string, OthersRow>> = {
  "node-pipe-through": {
    ...{ judge: "node", title: "pipe-through", shape: "read", stages: ["pass"] },
    ...{ chunkBytes: 64, chunks: 100_000, claim: noFigure },
  },
  "node-pipe-to": {
    ...{ judge: "node", title: "pipe-to", shape: "pipe", chunkBytes: kibi, chunks: 100_000 },
    claim:
      "none; its highWaterMarks of 512 to 4,096 stand in the source and the sink, where nothing reads them",
  },
  "node-for-await": {
    ...{ judge: "node", title: "readable-async-iterator", shape: "iterate" },
    ...{ chunkBytes: 8, chunks: 100_000, claim: noFigure },
  },
  "node-lifecycle-pipe-to": {
    ...{ judge: "node", title: "lifecycle, pipe-to", shape: "pipe", chunkBytes: kibi },
    ...{ chunks: 4, runs: 5_000, claim: noFigure },
  },
  "node-lifecycle-pipe-through": {
    ...{ judge: "node", title: "lifecycle, pipe-through", shape: "read", stages: ["pass"] },
    ...{ chunkBytes: kibi, chunks: 4, runs: 5_000, claim: noFigure },
  },
  "iter-pipe-to": {
    ...{ judge: "iter", title: "iter-throughput-pipeto", shape: "pipe" },
    ...{ chunkBytes: 64 * kibi, chunks: 1_024, claim: noFigure },
  },
  "iter-transform": {
    ...{ judge: "iter", title: "iter-throughput-transform", shape: "pipe", stages: ["copy"] },
    ...{ chunkBytes: 64 * kibi, chunks: 256, claim: noFigure },
  },
  "iter-broadcast": {
    ...{ judge: "iter", title: "iter-throughput-broadcast", shape: "tee", readers: 4 },
    ...{ chunkBytes: 64 * kibi, chunks: 256, claim: noFigure },
  },
  "iter-compression": {
    ...{ judge: "iter", title: "iter-throughput-compression", shape: "pipe", stages: ["gzip"] },
    ...{ chunkBytes: 64 * kibi, chunks: 64, claim: noFigure },
  },
  "deno-read": {
    ...{ judge: "deno", title: "`reader.read()` loop", shape: "read" },
    ...{ chunkBytes: 64 * kibi, chunks: 20_000, claim: "6.7, now 10.2 million chunks a second" },
  },
  "deno-pipe-to": {
    ...{ judge: "deno", title: "`pipeTo`", shape: "pipe" },
    ...{ chunkBytes: 64 * kibi, chunks: 20_000, claim: "2.8, now 5.5 million chunks a second" },
  },
  "deno-pipe-through": {
    ...{ judge: "deno", title: "`pipeThrough` and `pipeTo`", shape: "pipe", stages: ["pass"] },
    ...{ chunkBytes: 64 * kibi, chunks: 20_000, claim: "3.3 million chunks a second" },
  },
  "deno-for-await": {
    ...{ judge: "deno", title: "`for await`", shape: "iterate" },
    ...{ chunkBytes: 64 * kibi, chunks: 20_000, claim: "12.5 million chunks a second" },
  },
  ...vercelRows(),
  ...newStreamsRows(),
};

function vercelRows(): Record<string, OthersRow> {
  const row = (
    title: string,
    claim: string,
    shape: Shape,
    more: Partial<OthersRow> = {},
  ): OthersRow => ({
    ...{ judge: "vercel", title, claim, shape, chunkBytes: kibi, chunks: 20_000, ...more },
  });
  const isBytes = true;
  return {
    "vercel-read": row("read loop", "3.8 times native", "read"),
    "vercel-write": row("write loop", "2.3 times native", "write"),
    "vercel-transform": row("transform", "11 times native", "pipe", { stages: ["pass"] }),
    "vercel-pipe-to": row("pipeTo", "1.9 times native", "pipe"),
    "vercel-3-transforms": row("3 transforms", "11 times native", "pipe", { stages: three }),
    "vercel-8-transforms": row("8 transforms", "8.6 times native", "pipe", {
      stages: Array.from({ length: 8 }, () => "pass" as const),
    }),
    "vercel-fetch-bridge": row("bytes through 3 transforms", "3.0 times native", "pipe", {
      ...{ stages: three, isBytes },
    }),
    "vercel-byte-enqueue": row("bytes enqueued before", "15 times native", "enqueue", { isBytes }),
    "vercel-byte-read": row("read loop of bytes", "as native", "read", { isBytes }),
    "vercel-byte-for-await": row("for await of bytes", "1.03 times native", "iterate", { isBytes }),
    "vercel-tee": row("tee, both at once", "1.1 times native", "tee", { readers: 2 }),
    "vercel-tee-in-turn": row("tee, one after the other", "13 times native", "tee-in-turn"),
    "vercel-byte-tee": row("tee of bytes", "1.6 times native", "tee", { readers: 2, isBytes }),
    "vercel-for-await": row("for await", "1.4 times native", "iterate"),
  };
}

function newStreamsRows(): Record<string, OthersRow> {
  const row = (
    title: string,
    claim: string,
    chunkBytes: number,
    chunks: number,
    stages: readonly StageWork[] = [],
  ): OthersRow => ({
    ...{ judge: "newStreams", title, claim, shape: "read", chunkBytes, chunks, stages },
  });
  return {
    "new-64-kib": row("64 KB × 500", "as native", 64 * kibi, 500),
    "new-8-kib": row("8 KB × 2,000", "1.2 times native", 8 * kibi, 2_000),
    "new-1-kib": row("1 KB × 5,000", "2 times native", kibi, 5_000),
    "new-100-bytes": row("100 B × 10,000", "5 times native", 100, 10_000),
    "new-identity": row("identity", "63 times native", 8 * kibi, 1_000, ["pass"]),
    "new-xor": row("XOR", "as native", 8 * kibi, 500, ["xor"]),
    "new-expand": row("two of one", "15 times native", 4 * kibi, 500, ["expand"]),
    "new-3-transforms": row("3 transforms", "86 times native", 8 * kibi, 500, three),
    "new-async": row("async transform", "29 times native", 8 * kibi, 300, ["async"]),
    "new-64-bytes": row("64 B × 20,000", "19 times native", 64, 20_000, ["pass"]),
  };
}
