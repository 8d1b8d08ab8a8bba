import { checkResult } from "../check_result.ts";
import { directNext, getDirectRead, type PendingRead } from "./direct_read.ts";

type Result = IteratorResult<unknown, unknown>;

/** A source as it is pulled: asked by its iterator where it answers at once, otherwise by `next`. */
export type PullSource = SourceEnd & ({ readonly iterator: Iterator<unknown> } | AsyncPull);

/** What is read one by one. */
export interface AsyncPull {
  next(): PendingRead;
}

/** How a source is left. */
export interface SourceEnd {
  /** Gives the source up, and lets go of it; called at most once, and not after it has ended or failed. */
  cancel(reason: unknown): unknown;
  /** Settles when a stream ends or fails, also while nothing is read. */
  readonly closed?: Promise<unknown>;
  /** Lets go of the source, which has ended or failed or is left as it is. */
  release(): void;
}

/** What leaves the source of an iterator of ours as it is. */
export const leave: unique symbol = Symbol("leave");

/** An iterator whose source may be left open. */
export interface Leaving {
  [leave]?(): void;
}

/** The source of a stream, which it locks. */
export function openStream(stream: ReadableStream<unknown>): AsyncPull & SourceEnd {
  const reader = stream.getReader();
  let past = getDirectRead(stream);
  const next = past && directNext(past);
  const release = () => {
    reader.releaseLock();
    // Once: another may read it by now.
    past?.release?.();
    past = undefined;
  };
  return {
    next: next ?? (() => reader.read() as Promise<Result>),
    closed: reader.closed,
    cancel(reason) {
      const cancelled = reader.cancel(reason);
      release();
      return cancelled;
    },
    release,
  };
}

/** The source of an iterator that answers with promises. */
export function openAsyncIterator(iterator: AsyncIterator<unknown>): PullSource {
  const read = new IteratorRead();
  return {
    next: () => read.begin(iterator),
    cancel() {
      const result = iterator.return?.();
      // A generator answers `return()` only after the `next()` it hangs in, which may be never.
      if (!read.isPending) return result;
      Promise.resolve(result).catch(() => {});
    },
    release: () => (iterator as Leaving)[leave]?.(),
  };
}

/** Reads from an iterator, one at a time: made once, and answered in the step in which the iterator's promise settles. */
class IteratorRead implements PendingRead {
  isPending = false;
  #promise!: Promise<Result>;
  #onFulfilled!: (result: Result) => unknown;
  #onRejected!: (reason: unknown) => unknown;

  begin(iterator: AsyncIterator<unknown>): this {
    this.isPending = true;
    try {
      this.#promise = Promise.resolve(iterator.next());
    } catch (reason) {
      this.#promise = Promise.reject(reason);
    }
    return this;
  }

  then(
    onFulfilled: (result: Result) => unknown,
    onRejected: (reason: unknown) => unknown,
  ): void {
    this.#onFulfilled = onFulfilled;
    this.#onRejected = onRejected;
    this.#promise.then(this.#onResult, this.#onFailure);
  }

  readonly #onResult = (result: Result): void => {
    this.isPending = false;
    try {
      checkResult(result);
    } catch (reason) {
      return void this.#onRejected(reason);
    }
    this.#onFulfilled(result);
  };

  readonly #onFailure = (reason: unknown): void => {
    this.isPending = false;
    this.#onRejected(reason);
  };
}

/** The source of an iterator. */
export function openIterator(iterator: Iterator<unknown>): PullSource {
  return {
    iterator,
    cancel: () => void iterator.return?.(),
    release() {},
  };
}

/** Waits for a chunk that an iterator gave as a promise, as `for await` does; closes the iterator if it fails. */
export async function awaitChunk(
  iterator: Iterator<unknown>,
  chunk: PromiseLike<unknown>,
): Promise<Result> {
  try {
    return { done: false, value: await chunk };
  } catch (reason) {
    try {
      iterator.return?.();
    } catch {
      // Why it is closed matters more than how.
    }
    throw reason;
  }
}
