import { Readable, Transform, Writable } from "node:stream";
import { chunkKindsProbe } from "./chunk_kinds.ts";
import { errorPropagationProbe } from "./error_propagation.ts";
import { flushProbe } from "./flush.ts";
import type { Hose } from "./hose.ts";
import { atStandstill, hoses } from "./hoses.ts";
import { overfillProbe } from "./overfill.ts";
import { type FactTable, type SemanticsProbe, settle } from "./probe.ts";
import { readAheadProbe } from "./read_ahead.ts";
import { standstillProbes } from "./standstill.ts";

/** Where the values from `start` on stop being at the distance that the first two of them have. */
function endOfSteps(values: readonly (number | string)[], start: number): number {
  const [first, second] = [values[start], values[start + 1]];
  if (typeof first !== "number" || typeof second !== "number") return start + 1;
  let end = start + 2;
  while (end < values.length && values[end] === first + (second - first) * (end - start)) end++;
  return end;
}

/** Writes a row of values in short: `3×yes 2×no`, and `4…-2` for four numbers or more of equal distance. */
export function abbreviate(values: readonly (number | string)[]): string {
  const parts: string[] = [];
  for (let start = 0; start < values.length;) {
    const first = values[start]!;
    const stop = values.findIndex((value, index) => index > start && value !== first);
    const equal = (stop === -1 ? values.length : stop) - start;
    const steps = endOfSteps(values, start) - start;
    if (equal > 1) parts.push(`${equal}×${first}`);
    else if (steps > 3) parts.push(`${first}…${values[start + steps - 1]}`);
    else parts.push(String(first));
    start += equal > 1 ? equal : steps > 3 ? steps : 1;
  }
  return parts.join(" ");
}

/** How much is read after each of some writes, one finished after the other. */
async function readsAfterWrites(hose: Hose, writes: number, unit: number): Promise<number[]> {
  const reads: number[] = [];
  let before = hose.state().read;
  for (let write = 0; write < writes; write++) {
    hose.finishWrite();
    await settle();
    const { read } = hose.state();
    reads.push((read - before) / unit);
    before = read;
  }
  return reads;
}

function describe(reads: readonly number[]): FactTable[string] {
  const first = reads.findIndex((count) => count > 0);
  return {
    "after writes": first === -1 ? "never" : first + 1,
    "at once": Math.max(...reads),
    "read after each write": abbreviate(reads),
  };
}

async function measureObjects(): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  for (const highWaterMark of [1, 2, 5, 16]) {
    for (const [api, lay] of hoses) {
      table[`${highWaterMark} ${api}`] = describe(
        await atStandstill(
          lay,
          { highWaterMark, hasWriter: true },
          (hose) => readsAfterWrites(hose, 3 * highWaterMark + 1, 1),
        ),
      );
    }
  }
  return table;
}

async function measureBytes(): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  const chunkBytes = 4096;
  for (const kibibytes of [16, 64]) {
    const highWaterMark = kibibytes * 1024;
    for (const [api, lay] of hoses) {
      table[`${kibibytes} KiB ${api}`] = describe(
        await atStandstill(
          lay,
          { highWaterMark, chunkBytes, hasWriter: true },
          (hose) => readsAfterWrites(hose, 3 * highWaterMark / chunkBytes + 1, chunkBytes),
        ),
      );
    }
  }
  return table;
}

/** When a hose that stood still goes on. */
const resumeProbes: readonly SemanticsProbe[] = [
  {
    name: "resume",
    question: "When does reading go on: one in, one out, or when a buffer is empty? (objects)",
    corner: "highWaterMarks",
    note: "From standstill, writes are finished one by one; counted is what is read after each.",
    measure: measureObjects,
  },
  {
    name: "resume-bytes",
    question: "When does reading go on? (bytes)",
    corner: "highWaterMarks",
    note: "As before, in chunks of 4 KiB.",
    measure: measureBytes,
  },
];

interface Queue {
  readonly highWaterMark: number;
  /** In bytes; objects if absent. */
  readonly chunkBytes?: number;
}

function strategyOf({ highWaterMark, chunkBytes }: Queue): QueuingStrategy {
  return chunkBytes === undefined
    ? new CountQueuingStrategy({ highWaterMark })
    : new ByteLengthQueuingStrategy({ highWaterMark });
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

async function measureOne(queue: Queue, unit = 1): Promise<FactTable[string]> {
  const facts: Record<string, string> = {};
  for (const [column, sizes] of Object.entries(await desiredSizes(queue))) {
    facts[column] = abbreviate(sizes.map((size) => size / unit));
  }
  for (const [column, wantsMore] of Object.entries(await answers(queue))) {
    facts[column] = abbreviate(wantsMore.map((more) => more ? "yes" : "no"));
  }
  return facts;
}

/** What a stage learns when it hands a chunk on. */
const pushProbes: readonly SemanticsProbe[] = [
  {
    name: "push",
    question: "What does a stage learn as it fills a buffer, two more than fit? (objects)",
    corner: "mark",
    note: "Web: desiredSize after each chunk. Node: what push() or write() returns.",
    measure: async () =>
      Object.fromEntries(
        await Promise.all(
          [1, 2, 5, 16].map(async (highWaterMark) =>
            [String(highWaterMark), await measureOne({ highWaterMark })] as const
          ),
        ),
      ),
  },
  {
    name: "push-bytes",
    question: "What does a stage learn as it fills a buffer, two more than fit? (bytes)",
    corner: "mark",
    note:
      "Chunks of 4 KiB. Web: desiredSize in KiB after each. Node: what push() or write() returns.",
    measure: async () =>
      Object.fromEntries(
        await Promise.all(
          [16, 64].map(async (kibibytes) => {
            const queue = { highWaterMark: kibibytes * 1024, chunkBytes: 4096 };
            return [`${kibibytes} KiB`, await measureOne(queue, 1024)] as const;
          }),
        ),
      ),
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
      Object.entries(columns).map(([column, facts]) => [column, facts[row] ?? "-"]),
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
