import { bodyOf, hasBody, isWithBody } from "../body_of.ts";
import { checkResult } from "../check_result.ts";
import { describeValue } from "../errors.ts";
import { iterableOpener } from "../iterable_opener.ts";
import { isStream } from "../stream_iterator.ts";
import { directNext, getDirectRead } from "./direct_read.ts";

type Result = IteratorResult<unknown, unknown>;

/** A source as `pipeline` pulls it: asked by its iterator where it answers at once, otherwise by `next`. */
export type PullSource =
  & SourceEnd
  & ({ readonly iterator: Iterator<unknown> } | { next(): PromiseLike<Result> });

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
  }
  return describeValue(source);
}

/** Throws unless `source` is one that `openSource` can open; touches nothing. */
export function checkSource(action: string, source: unknown): void {
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

/** Opens a source that `checkSource` let pass. */
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
  let isReading = false;
  // Made once: a read costs one promise besides the iterator's own.
  const onResult = (result: Result): Result => {
    isReading = false;
    return checkResult(result);
  };
  const onFailure = (reason: unknown): never => {
    isReading = false;
    throw reason;
  };
  return {
    next() {
      isReading = true;
      try {
        return Promise.resolve(iterator.next()).then(onResult, onFailure);
      } catch (reason) {
        isReading = false;
        return Promise.reject(reason);
      }
    },
    cancel() {
      const result = iterator.return?.();
      // A generator answers `return()` only after the `next()` it hangs in, which may be never.
      if (!isReading) return result;
      Promise.resolve(result).catch(() => {});
    },
    release() {},
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
