import type { ThreadCounts } from "../thread_counts.ts";
import type { Slice } from "./slice.ts";

/** What `one` answers where no chunk goes on. */
export const NONE: unique symbol = Symbol("none");
/** What `one` answers where a promise decides, which `takePromise` gives. */
export const WAIT: unique symbol = Symbol("wait");

/** What a kernel of many answers: all is done, `slice.promise` is waited for, it failed, there is more to give. */
export const DONE = 0, WAITS = 1, FAILED = 2, MORE = 3;
/** One of {@linkcode DONE}, {@linkcode WAITS}, {@linkcode FAILED}, {@linkcode MORE}. */
export type Answer = 0 | 1 | 2 | 3;

/** What stages count of a run, for its result. */
export interface Counts {
  chunksSkipped: number;
  chunksRetried: number;
  keysEvicted?: number;
  threads?: ThreadCounts;
}

/** What an operator that makes at most one chunk of each does, in one stream. */
export interface OneKernel {
  /** How many chunks it was given, the one it is at among them. */
  readonly index?: number;
  /** Answers the chunk that goes on, `NONE` or `WAIT`. */
  one(chunk: unknown): unknown;
  /** What `one` or `run` waits for; asked once. */
  takePromise(): unknown;
  /** Answers what goes on once the promise is fulfilled, or `NONE`. */
  settle(value: unknown, chunk: unknown): unknown;
  /**
   * Does the same as `one` to each of `slice.items`, in place, and leaves how many it kept in `slice.kept`.
   * Answers the index of the chunk that waits, or how many there were. What the function throws it throws.
   */
  run(slice: Slice): number;
  /** No chunk follows: answers a last one that goes on, or `NONE`. Default: `NONE`. */
  flush?(): unknown;
  /** Answers what it holds, or `NONE`, and goes on. Default: it holds nothing. */
  flushNow?(): unknown;
  /** Ends what hangs: the stream was cancelled or aborted. */
  stop(reason: unknown): void;
  /** Whether what it does with a chunk depends on those before. Default: it does not. */
  readonly remembers?: boolean;
  /** Adds what it has counted. */
  addCounts?(counts: Counts): void;
}

/** What `run` of a kernel does that handles a slice as chunk after chunk. */
export function runOneByOne(kernel: Pick<OneKernel, "one">, slice: Slice): number {
  const { items, count } = slice;
  let kept = 0;
  let i = 0;
  try {
    for (; i < count; i++) {
      const result = kernel.one(items[i]);
      if (result === WAIT) break;
      if (result !== NONE) items[kept++] = result;
    }
  } finally {
    slice.kept = kept;
  }
  return i;
}

/** What any other operator does, in one stream: it gives into `slice`. */
export interface ManyKernel {
  /** How many chunks it was given, the one it is at among them. */
  readonly index?: number;
  /** Takes chunks until it waits, fails or has given `slice.limit`; leaves how many it took in `slice.taken`. */
  run(slice: Slice): Answer;
  /** Goes on giving what the last chunk made. */
  more(slice: Slice): Answer;
  /** Goes on once `slice.promise` is fulfilled; what it throws fails the stage. */
  settle(value: unknown, give: (chunk: unknown) => void): void;
  /** Whether the last chunk has more to give. */
  readonly hasMore: boolean;
  /** Whether that should be given only as there is room; default: no. */
  readonly needsRoom?: boolean;
  /** No chunk follows: answers whether it has more to give of those before. Default: it has not. */
  end?(): boolean;
  /** Forgets what it has more to give; answers a promise if that takes time. */
  drop(): unknown;
  /** Ends what hangs too: the stream was cancelled or aborted. */
  stop(reason: unknown): unknown;
}

/** A kernel of many that gives by itself, one step after the other, and says when it has done one. */
export interface SteppingKernel extends ManyKernel {
  /** Takes the result of such a kernel before it, as it was given; tells whether it asks. */
  takeResult(result: IteratorResult<unknown, unknown>): boolean;
  /** Takes what it gave meanwhile, or `NONE`. */
  takeGiven(): unknown;
  /** Goes on in the step in which it gave; tells whether its host is called once it has done. */
  resume(): boolean;
  /** Settles with what its host is called for. */
  readonly step: PromiseLike<unknown> | undefined;
}

export type Kernel = OneKernel | ManyKernel;

/** Tells the two kinds apart. */
export function isOneKernel(kernel: Kernel): kernel is OneKernel {
  return "one" in kernel;
}

/** Tells whether it gives by itself. */
export function isSteppingKernel(kernel: Kernel): kernel is SteppingKernel {
  return "takeResult" in kernel;
}

/** What a transformer without a `transform` does. */
export const passKernel: OneKernel = {
  one: (chunk) => chunk,
  takePromise: () => undefined,
  settle: () => NONE,
  run: (slice: Slice) => slice.kept = slice.count,
  stop() {},
};
