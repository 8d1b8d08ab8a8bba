import { Readable, Transform, Writable } from "node:stream";
import { chunkKindsProbe } from "./chunk_kinds.ts";
import { errorPropagationProbe } from "./error_propagation.ts";
import { flushProbe } from "./flush.ts";
import type { Hose, HoseOptions } from "./hose.ts";
import { askHoses, kibibytes, ofBytes, strategyOf } from "./hoses.ts";
import { type FactTable, type SemanticsProbe, settle } from "./probe.ts";
import { readAheadProbe } from "./read_ahead.ts";
import { overfillProbe, standstillProbes } from "./standstill.ts";

/** Writes a row of values in short: `3 yes, 2 no`, and `4 to -2` for four numbers or more of equal distance. */
function abbreviate(values: readonly (number | boolean)[]): string {
  const [first, second] = values.map(Number) as [number, number];
  const yes = values.filter(Boolean).length;
  if (typeof values[0] === "boolean" && values.lastIndexOf(true) < yes) {
    const counts = [[yes, "yes"], [values.length - yes, "no"]] as const;
    return counts.filter(([count]) => count > 0).map((words) => words.join(" ")).join(", ");
  }
  const isEven = values.every((value, index) => value === first + (second - first) * index);
  return isEven && values.length > 3 ? `${first} to ${values.at(-1)}` : values.join(", ");
}

function ordinal(count: number): string {
  const ending = count % 100 >= 11 && count % 100 <= 13 ? 0 : count % 10;
  return `${count}${["th", "st", "nd", "rd"][ending] ?? "th"}`;
}

/** How much is read after each of three marks' worth of writes and one more, one finished after the other. */
async function readsAfterWrites(
  hose: Hose,
  { highWaterMark, chunkBytes: unit = 1 }: HoseOptions,
): Promise<FactTable[string]> {
  const reads: number[] = [];
  for (let write = 0; write <= 3 * highWaterMark! / unit; write++) {
    const before = hose.state().read;
    hose.finishWrite();
    await settle();
    reads.push((hose.state().read - before) / unit);
  }
  const atOnce = Math.max(...reads);
  const period = reads.indexOf(atOnce) + 1;
  const isRegular = reads.every((count, index) => count === ((index + 1) % period ? 0 : atOnce));
  return {
    "after writes": atOnce === 0 ? "never" : period,
    "at once": atOnce,
    "read after each write": !isRegular
      ? reads.join(" ")
      : `${atOnce} after ${period === 1 ? "each" : `every ${ordinal(period)}`}`,
  };
}

/** When a hose that stood still goes on. */
const resumeProbes: readonly SemanticsProbe[] = [
  {
    name: "resume",
    question: "When does reading go on: one in, one out, or when a buffer is empty? (objects)",
    corner: "highWaterMarks",
    note: "From standstill, writes are finished one by one; counted is what is read after each.",
    measure: () => askHoses([1, 2, 5, 16], { hasWriter: true }, readsAfterWrites),
  },
  {
    name: "resume-bytes",
    question: "When does reading go on? (bytes)",
    corner: "highWaterMarks",
    note: "As before, in chunks of 4 KiB.",
    measure: () => askHoses(kibibytes, { ...ofBytes, hasWriter: true }, readsAfterWrites),
  },
];

interface Queue {
  readonly highWaterMark: number;
  /** In bytes; objects if absent. */
  readonly chunkBytes?: number;
}

function chunksOf({ highWaterMark, chunkBytes = 1 }: Queue): Uint8Array[] {
  // Two more than fit.
  return Array.from({ length: highWaterMark / chunkBytes + 2 }, () => new Uint8Array(chunkBytes));
}

const never = () => new Promise<never>(() => {});

async function desiredSizes(queue: Queue): Promise<Record<string, number[]>> {
  let reader!: ReadableStreamDefaultController;
  let transformer!: TransformStreamDefaultController;
  new ReadableStream({ start: (controller) => void (reader = controller) }, strategyOf(queue));
  const start = (controller: TransformStreamDefaultController) => void (transformer = controller);
  new TransformStream({ start }, undefined, strategyOf(queue));
  const writer = new WritableStream({ write: never }, strategyOf(queue)).getWriter();
  await settle();
  const [read, transformed, written]: number[][] = [[], [], []];
  for (const chunk of chunksOf(queue)) {
    reader.enqueue(chunk);
    read!.push(reader.desiredSize!);
    transformer.enqueue(chunk);
    transformed!.push(transformer.desiredSize!);
    writer.write(chunk).catch(() => {});
    written!.push(writer.desiredSize!);
  }
  return { "R web": read!, "T web": transformed!, "W web": written! };
}

async function answers(queue: Queue): Promise<Record<string, boolean[]>> {
  const { highWaterMark, chunkBytes } = queue;
  const shared = { objectMode: chunkBytes === undefined, highWaterMark };
  const reader = new Readable({ ...shared, read() {} });
  const transformer = new Transform({ ...shared, transform() {} });
  const writer = new Writable({ ...shared, write() {} });
  await settle();
  const [read, transformed, written]: boolean[][] = [[], [], []];
  for (const chunk of chunksOf(queue)) {
    read!.push(reader.push(chunk));
    transformed!.push(transformer.push(chunk));
    written!.push(writer.write(chunk));
  }
  for (const stream of [reader, transformer, writer]) stream.destroy();
  return { "R node": read!, "T node": transformed!, "W node": written! };
}

async function askQueues(queues: readonly Queue[]): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  for (const queue of queues) {
    const unit = queue.chunkBytes === undefined ? 1 : 1024;
    const sizes = Object.entries(await desiredSizes(queue))
      .map(([column, sizes]) => [column, abbreviate(sizes.map((size) => size / unit))]);
    const wishes = Object.entries(await answers(queue))
      .map(([column, wishes]) => [column, abbreviate(wishes)]);
    const row = `${queue.highWaterMark / unit}${unit === 1 ? "" : " KiB"}`;
    table[row] = Object.fromEntries([...sizes, ...wishes]);
  }
  return table;
}

/** What a stage learns when it hands a chunk on. */
const pushProbes: readonly SemanticsProbe[] = [
  {
    name: "push",
    question: "What does a stage learn as it fills a buffer, two more than fit? (objects)",
    corner: "mark",
    note: "Web: desiredSize after each chunk. Node: what push() or write() returns.",
    measure: () => askQueues([1, 2, 5, 16].map((highWaterMark) => ({ highWaterMark }))),
  },
  {
    name: "push-bytes",
    question: "What does a stage learn as it fills a buffer, two more than fit? (bytes)",
    corner: "mark",
    note:
      "Chunks of 4 KiB. Web: desiredSize in KiB after each. Node: what push() or write() returns.",
    measure: () => askQueues(kibibytes.map((mark) => ({ highWaterMark: mark * 1024, ...ofBytes }))),
  },
];

function measureWeb(): Record<string, number> {
  let readable!: ReadableStreamDefaultController;
  let transformer!: TransformStreamDefaultController;
  new ReadableStream({ start: (controller) => void (readable = controller) });
  const transform = new TransformStream({
    start: (controller) => void (transformer = controller),
  });
  return {
    "reader": readable.desiredSize!,
    "transf. in": transform.writable.getWriter().desiredSize!,
    "transf. out": transformer.desiredSize!,
    "writer": new WritableStream().getWriter().desiredSize!,
  };
}

/** Only a reader can be one of bytes. */
function measureWebBytes(): Record<string, number> {
  let readable!: ReadableByteStreamController;
  new ReadableStream({ type: "bytes", start: (controller) => void (readable = controller) });
  return { "reader": readable.desiredSize! };
}

function measureNode(objectMode: boolean): Record<string, number> {
  const read = () => {};
  const transform = new Transform({ objectMode });
  return {
    "reader": new Readable({ objectMode, read }).readableHighWaterMark,
    "transf. in": transform.writableHighWaterMark,
    "transf. out": transform.readableHighWaterMark,
    "writer": new Writable({ objectMode }).writableHighWaterMark,
  };
}

function measure(): FactTable {
  const columns = {
    "web, chunks": measureWeb(),
    "web, bytes": measureWebBytes(),
    "node, objects": measureNode(true),
    "node, bytes": measureNode(false),
  };
  const rows = ["reader", "transf. in", "transf. out", "writer"];
  return Object.fromEntries(rows.map((row) => [
    row,
    Object.fromEntries(
      Object.entries(columns).map(([column, facts]) => [column, facts[row] ?? "none"]),
    ),
  ]));
}

/** What holds where no mark is given. */
const defaultsProbe: SemanticsProbe = {
  name: "defaults",
  question: "Which highWaterMarks hold if none is given?",
  corner: "buffer",
  note: "Web: desiredSize of an empty queue. Node: the highWaterMark that each stream reports, " +
    "in objects with objectMode, otherwise in bytes.",
  measure: () => Promise.resolve(measure()),
};

/** Every question, in the order in which answers are shown. */
export const semanticsProbes: readonly SemanticsProbe[] = [
  defaultsProbe,
  readAheadProbe,
  ...standstillProbes,
  overfillProbe,
  ...resumeProbes,
  ...pushProbes,
  errorPropagationProbe,
  flushProbe,
  chunkKindsProbe,
];

/** What a runtime answered, by the name of the probe. */
export type Facts = Readonly<Record<string, FactTable>>;

/** Puts every question to the runtime that executes this. */
export async function measureSemantics(): Promise<Facts> {
  const facts: Record<string, FactTable> = {};
  for (const { name, measure } of semanticsProbes) facts[name] = await measure();
  return facts;
}
