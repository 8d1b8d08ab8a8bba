import { Readable, Transform, Writable } from "node:stream";
import { abbreviate } from "./abbreviate.ts";
import type { FactTable, SemanticsProbe } from "./probe.ts";
import { settle } from "./settle.ts";

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
export const pushProbes: readonly SemanticsProbe[] = [
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
