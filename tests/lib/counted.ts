import { probe } from "@hosepipe/streams/inspect";
import { isProbing } from "./probing.ts";

/** The kinds of sources that are tested everywhere. */
export const kinds = ["stream", "async", "sync"] as const;
export type Kind = typeof kinds[number];

/** A source that counts, and what became of it. */
export interface Counted {
  readonly source: ReadableStream<number> | AsyncIterable<number> | Iterable<number>;
  /** How often it was asked. */
  readonly reads: number;
  /** How often it was cancelled; an iterator's `return()` counts. */
  readonly cancels: number;
}

/** Gives `first`, `first + 1` and so on, `length` of them, and then closes or fails. */
export function counted(
  kind: Kind,
  length: number = Infinity,
  { first = 0, failure }: { first?: number; failure?: { readonly reason: unknown } } = {},
): Counted {
  let reads = 0;
  let cancels = 0;
  const next = (): IteratorResult<number, undefined> => {
    if (reads++ < length) return { done: false, value: first + reads - 1 };
    if (failure !== undefined) throw failure.reason;
    return { done: true, value: undefined };
  };
  const end = (): IteratorResult<number, undefined> => {
    cancels++;
    return { done: true, value: undefined };
  };
  const stream = (): ReadableStream<number> =>
    new ReadableStream<number>({
      pull(controller) {
        const { done, value } = next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void end(),
    }, { highWaterMark: 0 });
  const source = kind === "stream" ? stream() : kind === "async"
    ? {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve().then(next),
        return: () => Promise.resolve(end()),
      }),
    }
    : { [Symbol.iterator]: () => ({ next, return: end }) };
  return {
    source: isProbing ? probe({ now: () => 0 }).reader(source as Iterable<number>) : source,
    get reads() {
      return reads;
    },
    get cancels() {
      return cancels;
    },
  };
}
