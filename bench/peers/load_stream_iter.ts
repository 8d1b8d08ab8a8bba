/** What an iterable stream ends in: one batch at a time if it has `writevSync`. */
export interface IterableStreamWriter {
  write(chunk: Uint8Array): Promise<void>;
  writeSync?(chunk: Uint8Array): boolean;
  writevSync?(chunks: Uint8Array[]): boolean;
}

/** A stage of iterable streams: answers a batch with a batch; `null` asks for what is left at the end. */
export type IterableStreamStage = (chunks: Uint8Array[] | null) => Uint8Array[] | null;

/** What we use of `node:stream/iter`. */
export interface StreamIter {
  from(source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array[]>;
  pipeTo(
    source: AsyncIterable<Uint8Array[]>,
    ...stagesAndWriter: (IterableStreamStage | IterableStreamWriter)[]
  ): Promise<number>;
}

/** Loads `node:stream/iter`, which Node has behind `--experimental-stream-iter`. */
export function loadStreamIter(): Promise<StreamIter> {
  // Other runtimes refuse a module that so much as names it.
  const name = "node:stream/iter";
  return import(name);
}
