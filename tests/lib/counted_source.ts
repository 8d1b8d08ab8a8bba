import { makeReadable } from "./probing.ts";

/** A source that counts how often it is asked and remembers whether it was cancelled. */
export interface CountedSource<T> {
  readonly readable: ReadableStream<T>;
  /** How many chunks it has given. */
  readonly readCount: number;
  readonly cancelReasons: readonly unknown[];
}

/** How a source gives its chunks. */
export interface CountedSourceOptions<T> {
  /** The n-th chunk, from 0. Default: n itself. */
  readonly chunk?: (n: number) => T;
  /** How many chunks there are. Default: no end. */
  readonly length?: number;
  /** What it does after the last: it closes, fails or never answers. Default: it closes. */
  readonly atEnd?: "close" | "stall" | { readonly reason: unknown };
  /** Of its queue. Default: 0, so that each chunk is read for somebody. */
  readonly highWaterMark?: number;
  /** How many chunks it gives when it is asked for one. Default: 1. */
  readonly burst?: number;
}

/** Makes a source of chunks that are read only on demand. */
export function countedSource<T = number>(
  options: CountedSourceOptions<T> = {},
): CountedSource<T> {
  const { chunk = (n) => n as T, length = Infinity, atEnd = "close" } = options;
  const { highWaterMark = 0, burst = 1 } = options;
  let readCount = 0;
  const cancelReasons: unknown[] = [];
  const readable = makeReadable<T>({
    pull(controller) {
      if (readCount < length) {
        const upTo = Math.min(length, readCount + burst);
        while (readCount < upTo) controller.enqueue(chunk(readCount++));
        return;
      }
      if (atEnd === "close") return controller.close();
      if (atEnd === "stall") return new Promise(() => {});
      controller.error(atEnd.reason);
    },
    cancel: (reason) => void cancelReasons.push(reason),
  }, { highWaterMark });
  return {
    readable,
    cancelReasons,
    get readCount() {
      return readCount;
    },
  };
}

/** A native source of chunks that fails with "source" before one of them; counts how often it has ended. */
export function endingSource(chunks: readonly number[], failsAt: number | null) {
  let [next, closed] = [0, 0];
  const source = new ReadableStream<number>({
    pull(controller) {
      if (next === failsAt) {
        closed++;
        controller.error("source");
      } else if (next < chunks.length) controller.enqueue(chunks[next++]!);
      else {
        closed++;
        controller.close();
      }
    },
    cancel: () => void closed++,
  }, { highWaterMark: 0 });
  return {
    source,
    get closed() {
      return closed;
    },
  };
}
