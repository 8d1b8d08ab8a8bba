import { Readable, Transform, Writable } from "node:stream";
import type { Hose, HoseOptions, HoseState, LayHose } from "./hose.ts";
import { type Fact, type FactTable, settle } from "./probe.ts";

type Chunk = number | Uint8Array;

/** How a Web stream counts: in bytes if its chunks have any. */
export function strategyOf(
  { highWaterMark, chunkBytes }: HoseOptions,
): QueuingStrategy | undefined {
  if (highWaterMark === undefined) return undefined;
  return chunkBytes === undefined
    ? new CountQueuingStrategy({ highWaterMark })
    : new ByteLengthQueuingStrategy({ highWaterMark });
}

/** What the parts of a hose say of themselves; what no other part holds is in the two queues in between. */
function stateOf(counts: Omit<HoseState, "transformerIn" | "writerIn">): HoseState {
  const { read, transformed, writing, written, readerOut, transformerOut } = counts;
  return {
    ...counts,
    transformerIn: read - readerOut - transformed,
    writerIn: transformed - transformerOut - writing - written,
  };
}

/** Lays a hose of native Web streams, connected by `pipeThrough` and `pipeTo`. */
const layWebHose: LayHose = (options: HoseOptions) => {
  const { chunkBytes, batchSize = 1, hasWriter = false } = options;
  const unit = chunkBytes ?? 1;
  const strategy = () => strategyOf(options);
  let [readerMark, transformerMark] = [0, 0];
  let [read, transformed, writing, written] = [0, 0, 0, 0];
  let reader!: ReadableStreamDefaultController<Chunk>;
  let transformer!: TransformStreamDefaultController<Chunk>;
  let finish: (() => void) | undefined;
  let readerOutMost = 0;

  const source = new ReadableStream<Chunk>({
    start(controller) {
      reader = controller;
      readerMark = controller.desiredSize!;
    },
    pull(controller) {
      for (let count = 0; count < batchSize; count++) {
        read += unit;
        controller.enqueue(chunkBytes === undefined ? read : new Uint8Array(chunkBytes));
      }
      readerOutMost = Math.max(readerOutMost, readerMark - controller.desiredSize!);
    },
  }, strategy());
  const output = source.pipeThrough(
    new TransformStream<Chunk, Chunk>(
      {
        start(controller) {
          transformer = controller;
          transformerMark = controller.desiredSize!;
        },
        transform(chunk, controller) {
          transformed += unit;
          controller.enqueue(chunk);
        },
      },
      strategy(),
      strategy(),
    ),
  );
  const piping = !hasWriter ? undefined : output.pipeTo(
    new WritableStream<Chunk>({
      write() {
        writing += unit;
        return new Promise<void>((resolve) => {
          finish = () => {
            writing -= unit;
            written += unit;
            resolve();
          };
        });
      },
    }, strategy()),
  );
  piping?.catch(() => {});

  return {
    state: () =>
      stateOf({
        ...{ read, transformed, writing, written, readerOutMost },
        readerOut: readerMark - reader.desiredSize!,
        transformerOut: transformerMark - transformer.desiredSize!,
      }),
    finishWrite: () => finish?.(),
    async dispose() {
      reader.error(new Error("disposed"));
      transformer.error(new Error("disposed"));
      finish?.();
      await settle();
    },
  };
};

/** Lays a hose of node streams, written by hand and connected by `pipe`. */
const layNodeHose: LayHose = (options: HoseOptions) => {
  const { highWaterMark, chunkBytes, batchSize = 1, hasWriter = false } = options;
  const unit = chunkBytes ?? 1;
  const shared = { objectMode: chunkBytes === undefined, highWaterMark };
  let [read, transformed, writing, written] = [0, 0, 0, 0];
  let finish: (() => void) | undefined;
  let readerOutMost = 0;

  const reader = new Readable({
    ...shared,
    read() {
      for (let count = 0; count < batchSize; count++) {
        read += unit;
        this.push(chunkBytes === undefined ? read : new Uint8Array(chunkBytes));
      }
      readerOutMost = Math.max(readerOutMost, this.readableLength);
    },
  });
  const transformer = new Transform({
    ...shared,
    transform(chunk, _encoding, callback) {
      transformed += unit;
      callback(null, chunk);
    },
  });
  const writer = new Writable({
    ...shared,
    write(_chunk, _encoding, callback) {
      writing += unit;
      finish = () => {
        finish = undefined;
        writing -= unit;
        written += unit;
        callback();
      };
    },
  });
  reader.pipe(transformer);
  if (hasWriter) transformer.pipe(writer);

  return {
    state: () =>
      stateOf({
        ...{ read, transformed, writing, written, readerOutMost },
        readerOut: reader.readableLength,
        transformerOut: transformer.readableLength,
        transformerInSaid: transformer.writableLength,
      }),
    finishWrite: () => finish?.(),
    async dispose() {
      for (const stream of [reader, transformer, writer]) stream.destroy();
      await settle();
    },
  };
};

/** The two APIs, Web first. */
export const hoses: readonly (readonly [api: string, lay: LayHose])[] = [
  ["web", layWebHose],
  ["node", layNodeHose],
];

/** Lays a hose, waits until nothing moves any more, asks, and takes it down. */
export async function atStandstill<T>(
  lay: LayHose,
  options: HoseOptions,
  ask: (hose: Hose) => T | Promise<T>,
): Promise<T> {
  const hose = lay(options);
  await settle();
  try {
    return await ask(hose);
  } finally {
    await hose.dispose();
  }
}

/** The marks of hoses of bytes, and their chunks. */
export const kibibytes = [16, 64];
export const ofBytes = { chunkBytes: 4096 };

/** Asks hoses of both APIs with each of some marks, which are in KiB where chunks have bytes. */
export async function askHoses(
  marks: readonly (number | undefined)[],
  more: HoseOptions,
  ask: (hose: Hose, options: HoseOptions) => FactTable[string] | Promise<FactTable[string]>,
): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  const [factor, unit] = more.chunkBytes === undefined ? [1, ""] : [1024, " KiB"];
  for (const mark of marks) {
    const options = { ...more, highWaterMark: mark === undefined ? mark : mark * factor };
    for (const [api, lay] of hoses) {
      const row = `${mark ?? "default"}${unit} ${api}`;
      table[row] = await atStandstill(lay, options, (hose) => ask(hose, options));
    }
  }
  return table;
}

/** The state of a hose in the words of a table's columns, in units of `unit`: R, T, W are the three stages. */
export function describeState(state: HoseState, unit = 1): Record<string, Fact> {
  return {
    "read": state.read / unit,
    "transformed": state.transformed / unit,
    "R out": state.readerOut / unit,
    "T in": state.transformerIn / unit,
    "T out": state.transformerOut / unit,
    "W in": state.writerIn / unit,
    "writing": state.writing / unit,
    "written": state.written / unit,
  };
}
