/** A source that counts how often it is asked and remembers whether it was cancelled. */
export interface CountedSource {
  readonly readable: ReadableStream<unknown>;
  readonly readCount: number;
  readonly cancelReasons: readonly unknown[];
}

/** Gives `chunk(0)` to `chunk(length - 1)`, and then ends as `atEnd` says: it closes, fails or never answers. */
export function countedSource(
  chunk: (n: number) => unknown,
  length: number,
  atEnd: "close" | "stall" | { readonly reason: unknown } = "close",
): CountedSource {
  let readCount = 0;
  const cancelReasons: unknown[] = [];
  const readable = new ReadableStream<unknown>({
    pull(controller) {
      if (readCount < length) return controller.enqueue(chunk(readCount++));
      if (atEnd === "close") return controller.close();
      if (atEnd === "stall") return new Promise(() => {});
      controller.error(atEnd.reason);
    },
    cancel: (reason) => void cancelReasons.push(reason),
  }, { highWaterMark: 0 });
  return {
    readable,
    cancelReasons,
    get readCount() {
      return readCount;
    },
  };
}

/** A sink that keeps what it is given, and remembers how it ended. */
export interface KeepingSink {
  readonly writable: WritableStream<unknown>;
  readonly chunks: unknown[];
  readonly abortReasons: unknown[];
  readonly closeCount: number;
  /** Lets the write that hangs go on. */
  readonly release: () => void;
}

/** Takes `length` chunks, and then hangs in a write or fails. */
export function keepingSink(
  length: number = Infinity,
  then: "stall" | { readonly reason: unknown } = "stall",
): KeepingSink {
  const chunks: unknown[] = [];
  const abortReasons: unknown[] = [];
  const stalled = Promise.withResolvers<void>();
  let closeCount = 0;
  const writable = new WritableStream<unknown>({
    write(chunk) {
      if (chunks.length < length) return void chunks.push(chunk);
      if (then !== "stall") throw then.reason;
      return stalled.promise;
    },
    close: () => void closeCount++,
    abort: (reason) => void abortReasons.push(reason),
  });
  return {
    writable,
    chunks,
    abortReasons,
    release: stalled.resolve,
    get closeCount() {
      return closeCount;
    },
  };
}

/** What `promise` is rejected with, in an array, since `undefined` is an error too. */
export async function errorOf(promise: Promise<unknown>): Promise<[unknown] | "none"> {
  try {
    await promise;
  } catch (reason) {
    return [reason];
  }
  return "none";
}

/** Gives the event loop some turns. */
export async function turns(count = 6): Promise<void> {
  while (count-- > 0) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** The first `count` numbers, from 0. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

/** Values that a run can fail with; none of them may get lost for not being true. */
export const reasons: readonly { readonly name: string; readonly reason: unknown }[] = [
  { name: "an error", reason: new Error("a failure on purpose") },
  { name: "undefined", reason: undefined },
];
