import type { HoseOptions, LayHose } from "./hose.ts";
import { settle } from "./settle.ts";

type Chunk = number | Uint8Array;

/** Lays a hose of native Web streams, connected by `pipeThrough` and `pipeTo`. */
export const layWebHose: LayHose = (options: HoseOptions) => {
  const { highWaterMark, chunkBytes, batchSize = 1, hasWriter = false } = options;
  const unit = chunkBytes ?? 1;
  const strategy = (): QueuingStrategy | undefined => {
    if (highWaterMark === undefined) return undefined;
    return chunkBytes === undefined
      ? new CountQueuingStrategy({ highWaterMark })
      : new ByteLengthQueuingStrategy({ highWaterMark });
  };
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
    state() {
      // Nothing says how full a piped-to queue is: chunks that no other part holds are in it.
      const readerOut = readerMark - reader.desiredSize!;
      const transformerOut = transformerMark - transformer.desiredSize!;
      return {
        ...{ read, transformed, writing, written, readerOut, readerOutMost, transformerOut },
        transformerIn: read - readerOut - transformed,
        writerIn: transformed - transformerOut - writing - written,
      };
    },
    finishWrite: () => finish?.(),
    async dispose() {
      reader.error(new Error("disposed"));
      transformer.error(new Error("disposed"));
      finish?.();
      await settle();
    },
  };
};
