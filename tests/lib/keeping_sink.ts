import { makeWritable } from "./probing.ts";

/** A sink that keeps what it is given, and remembers how it ended. */
export interface KeepingSink {
  readonly writable: WritableStream<unknown>;
  readonly chunks: unknown[];
  readonly abortReasons: unknown[];
  readonly closeCount: number;
  /** Lets the write that hangs go on. */
  readonly release: () => void;
}

/** How a sink takes its chunks. */
export interface KeepingSinkOptions {
  /** How many chunks it takes. Default: all. */
  readonly length?: number;
  /** What the next write does then: it hangs or fails. Default: it hangs. */
  readonly then?: "stall" | { readonly reason: unknown };
  /** Of its queue. Default: 1. */
  readonly highWaterMark?: number;
}

/** Makes a sink that keeps chunks. */
export function keepingSink(options: KeepingSinkOptions = {}): KeepingSink {
  const { length = Infinity, then = "stall", highWaterMark = 1 } = options;
  const chunks: unknown[] = [];
  const abortReasons: unknown[] = [];
  const stalled = Promise.withResolvers<void>();
  let closeCount = 0;
  const writable = makeWritable<unknown>({
    write(chunk) {
      if (chunks.length < length) return void chunks.push(chunk);
      if (then !== "stall") throw then.reason;
      return stalled.promise;
    },
    close: () => void closeCount++,
    abort: (reason) => void abortReasons.push(reason),
  }, { highWaterMark });
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
