import { Readable, Transform, Writable } from "node:stream";
import type { HoseOptions, LayHose } from "./hose.ts";
import { settle } from "./settle.ts";

/** Lays a hose of node streams, written by hand and connected by `pipe`. */
export const layNodeHose: LayHose = (options: HoseOptions) => {
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
    state() {
      const { readableLength: readerOut } = reader;
      const { readableLength: transformerOut } = transformer;
      return {
        ...{ read, transformed, writing, written, readerOut, readerOutMost, transformerOut },
        transformerIn: read - readerOut - transformed,
        writerIn: transformed - transformerOut - writing - written,
        transformerInSaid: transformer.writableLength,
      };
    },
    finishWrite: () => finish?.(),
    async dispose() {
      for (const stream of [reader, transformer, writer]) stream.destroy();
      await settle();
    },
  };
};
