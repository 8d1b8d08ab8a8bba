import { bodyOf, hasBody, isWithBody } from "../body_of.ts";
import { checkResult } from "../check_result.ts";
import { describeValue } from "../errors.ts";
import { iterableOpener } from "../iterable_opener.ts";
import { isStream } from "../stream_iterator.ts";
import { directNext, getDirectRead, type PendingRead } from "./direct_read.ts";

type Result = IteratorResult<unknown, unknown>;

/** A source as `pipeline` pulls it: asked by its iterator where it answers at once, otherwise by `next`. */
export type PullSource =
  & SourceEnd
  & ({ readonly iterator: Iterator<unknown> } | { next(): PendingRead });

interface SourceEnd {
  /** Gives the source up, and lets go of it; called at most once, and not after it has ended or failed. */
  cancel(reason: unknown): unknown;
  /** Settles when a stream ends or fails, also while nothing is read. */
  readonly closed?: Promise<unknown>;
  /** Lets go of the source, which has ended or failed or is left as it is. */
  release(): void;
}

function adviceFor(source: unknown): string {
  if (typeof source === "function") {
    return "a function; call it if it is a generator, or use reader(fn)";
  }
  if (source !== null && typeof source === "object") {
    if (typeof (source as { then?: unknown }).then === "function") return "a promise; await it";
    if (source instanceof URL) return "a URL; pass await fetch(url)";
  }
  return describeValue(source);
}

/** Throws unless `source` is one that `openSource` can open; touches nothing. */
export function checkPipelineSource(action: string, source: unknown): void {
  if (Array.isArray(source)) return;
  if (typeof source === "string") {
    throw new TypeError(
      `Cannot ${action}: source must not be a text, whose characters would be the chunks; ` +
        "use [text], or [...text] for its characters",
    );
  }
  if (hasBody(source) && isWithBody(source) && source.bodyUsed) {
    throw new TypeError(`Cannot ${action}: the body of source has been read already`);
  }
  const body = hasBody(source) && isWithBody(source) ? source.body : source;
  if (isStream(body)) {
    if (!body.locked) return;
    throw new TypeError(`Cannot ${action}: source is locked to another reader`);
  }
  if (hasBody(source) || iterableOpener(source) !== undefined) return;
  throw new TypeError(
    `Cannot ${action}: source must be a ReadableStream, an iterable or an async iterable, ` +
      `got ${adviceFor(source)}`,
  );
}

/** Opens a source that `checkPipelineSource` let pass. */
export function openSource(source: unknown): PullSource {
  const body = bodyOf(source);
  if (isStream(body)) return openStream(body);
  const opener = iterableOpener<unknown>(body)!;
  return opener.isAsync ? openAsyncIterator(opener.open()) : openIterator(opener.open());
}

function openStream(stream: ReadableStream<unknown>): PullSource {
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

function openAsyncIterator(iterator: AsyncIterator<unknown>): PullSource {
  const read = new IteratorRead();
  return {
    next: () => read.begin(iterator),
    cancel() {
      const result = iterator.return?.();
      // A generator answers `return()` only after the `next()` it hangs in, which may be never.
      if (!read.isPending) return result;
      Promise.resolve(result).catch(() => {});
    },
    release() {},
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

/** Opens a source whose chunks are there at once, if it is one: of all, an array is known with the least effort. */
export function openAtOnce(source: unknown): Iterator<unknown> | undefined {
  if (Array.isArray(source) && !(Symbol.asyncIterator in source)) return source[Symbol.iterator]();
  if (isStream(source) || hasBody(source)) return undefined;
  const opener = iterableOpener<unknown>(source)!;
  return opener.isAsync ? undefined : opener.open();
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
