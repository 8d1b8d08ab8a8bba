import { Readable } from "node:stream";
import { type Fact, type FactTable, type SemanticsProbe, settle } from "./probe.ts";

/** One kind of stream: how it takes in chunks, and what comes out of it at once. */
interface Kind {
  readonly name: string;
  /** Gives chunks to a stream of this high-water mark until it wants no more; how many that took. */
  fill(chunkBytes: number): number;
  /** What the first read gives after these chunks. */
  firstRead(chunks: readonly unknown[]): Promise<unknown>;
  /** What a read of so many bytes gives after these chunks, where there is such a thing. */
  sizedRead?(size: number, chunks: readonly Uint8Array[]): Promise<unknown>;
}

const most = 100_000;
const theEnd = Symbol("the end");
const nothing = Symbol("nothing");

function webKind(name: string, highWaterMark: number, type?: "bytes"): Kind {
  const open = () => {
    let controller!: ReadableStreamDefaultController;
    const start = (given: ReadableStreamDefaultController) => void (controller = given);
    const strategy = name.endsWith("chunks") || type !== undefined
      ? { highWaterMark }
      : new ByteLengthQueuingStrategy({ highWaterMark });
    const source = { start, ...(type ? { type } : {}) } as UnderlyingDefaultSource;
    const stream = new ReadableStream(source, strategy);
    return { stream, controller };
  };
  return {
    name,
    fill(chunkBytes) {
      const { controller } = open();
      let count = 0;
      while (controller.desiredSize! > 0 && count++ < most) {
        controller.enqueue(new Uint8Array(chunkBytes));
      }
      return count;
    },
    async firstRead(chunks) {
      const { stream, controller } = open();
      for (const chunk of chunks) controller.enqueue(chunk);
      const reading = stream.getReader().read();
      const silence = settle().then(() => ({ done: false, value: nothing }));
      const { done, value } = await Promise.race([reading, silence]);
      return done ? theEnd : value;
    },
    ...(type === undefined ? {} : {
      async sizedRead(size, chunks) {
        const { stream, controller } = open();
        for (const chunk of chunks) controller.enqueue(chunk);
        return (await stream.getReader({ mode: "byob" }).read(new Uint8Array(size))).value;
      },
    }),
  };
}

function nodeKind(name: string, highWaterMark: number, objectMode: boolean): Kind {
  const open = () => {
    const stream = new Readable({ objectMode, highWaterMark, read() {} });
    let failure: unknown;
    stream.on("error", (error) => failure = error);
    return { stream, failure: () => failure };
  };
  return {
    name,
    fill(chunkBytes) {
      const { stream } = open();
      let count = 0;
      while (count++ < most && stream.push(new Uint8Array(chunkBytes)));
      return count;
    },
    async firstRead(chunks) {
      const { stream, failure } = open();
      for (const chunk of chunks) stream.push(chunk);
      await settle();
      const value = stream.read();
      await settle();
      if (failure() !== undefined) throw failure();
      if (value !== null) return value;
      return stream.readableEnded ? theEnd : nothing;
    },
    async sizedRead(size, chunks) {
      const { stream } = open();
      for (const chunk of chunks) stream.push(chunk);
      await settle();
      return stream.read(size);
    },
  };
}

const kinds: readonly Kind[] = [
  webKind("web chunks", 16),
  webKind("web sized", 65_536),
  webKind("web bytes", 65_536, "bytes"),
  nodeKind("node obj.", 16, true),
  nodeKind("node bytes", 65_536, false),
];

function describe(value: unknown): Fact {
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (value === theEnd || value === nothing) return value.description!;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

async function tryRead(read: () => Promise<unknown> | undefined): Promise<Fact> {
  try {
    const reading = read();
    return reading === undefined ? "none" : describe(await reading);
  } catch (error) {
    return (error as Error).name;
  }
}

function threeOfFour(): Uint8Array[] {
  return [1, 2, 3].map(() => new Uint8Array(4));
}

async function measure(): Promise<FactTable> {
  const rows: Record<string, (kind: Kind) => Fact | Promise<Fact>> = {
    "1-KiB chunks to fill": (kind) => kind.fill(1024),
    "64-KiB chunks to fill": (kind) => kind.fill(65_536),
    "100-KB chunks to fill": (kind) => kind.fill(100_000),
    "read of 3×4 bytes": (kind) => tryRead(() => kind.firstRead(threeOfFour())),
    "read(8) of 3×4 bytes": (kind) => tryRead(() => kind.sizedRead?.(8, threeOfFour())),
    "read of 0 bytes": (kind) => tryRead(() => kind.firstRead([new Uint8Array(0)])),
    "read of 'é'": (kind) => tryRead(() => kind.firstRead(["é"])),
    "read of a number": (kind) => tryRead(() => kind.firstRead([7])),
    "read of undefined": (kind) => tryRead(() => kind.firstRead([undefined])),
    "read of null": (kind) => tryRead(() => kind.firstRead([null])),
  };
  const table: Record<string, Record<string, Fact>> = {};
  for (const [row, ask] of Object.entries(rows)) {
    table[row] = {};
    for (const kind of kinds) table[row][kind.name] = await ask(kind);
  }
  return table;
}

/** What a high-water mark counts, and what a stream takes for a chunk. */
export const chunkKindsProbe: SemanticsProbe = {
  name: "objects-bytes",
  question: "Objects against bytes: what does the highWaterMark count, what is a chunk?",
  corner: "",
  note: "One reader. highWaterMarks: 16 for chunks and objects, 65,536 for 'sized' " +
    '(ByteLengthQueuingStrategy) and bytes (type: "bytes").',
  measure,
};
