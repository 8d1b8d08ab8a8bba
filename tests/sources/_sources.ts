import { errorOf } from "../lib/error_of.ts";

/** An async iterator whose `next()` never answers, and which says nothing when it is given up. */
export function hanging() {
  let returns = 0;
  const iterator = {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => new Promise<never>(() => {}),
    return() {
      returns++;
      return new Promise<never>(() => {});
    },
  };
  return {
    source: iterator as AsyncIterable<number>,
    get returns() {
      return returns;
    },
  };
}

/** Reads a stream until it ends or fails. */
export async function drain<T>(
  stream: ReadableStream<T>,
): Promise<{ chunks: T[]; error: [error: unknown] | "none" }> {
  const chunks: T[] = [];
  const reader = stream.getReader();
  const read = async () => {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      chunks.push(value);
    }
  };
  return { error: await errorOf(read()), chunks };
}

/** Falsy and other reasons, none of which may get lost. */
export const reasons: readonly unknown[] = [undefined, null, 0, new Error("on purpose")];
