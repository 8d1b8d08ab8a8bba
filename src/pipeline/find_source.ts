import { isWithBody, isWithStream } from "../body_of.ts";
import { type IterableOpener, iterableOpener } from "../iterable_opener.ts";
import { isStream } from "../stream_iterator.ts";
import { openAsyncIterator, openIterator, openStream, type PullSource } from "./source.ts";

/** A value that was found to be a source, and how it is opened: once. */
export interface FoundSource {
  /** What opening it locks, if that is there already: the stream that it is, or its body. */
  readonly stream?: ReadableStream<unknown>;
  open(): PullSource;
  /** Opens it if its chunks are there at once. */
  openAtOnce?(): Iterator<unknown>;
}

/**
 * Finds how a source is opened, and touches nothing; `undefined` if the value is none.
 *
 * @throws {TypeError} If it is one that cannot be read any more, or is read by another.
 */
export function findSource(action: string, source: unknown, name: string): FoundSource | undefined {
  // Of all, an array is known with the least effort.
  if (Array.isArray(source) && !(Symbol.asyncIterator in source)) return new FoundArray(source);
  if (isStream(source)) return foundStream(action, source, name);
  if (source === null || typeof source !== "object") return foundIterable(source);
  if (isWithBody(source)) {
    if (source.bodyUsed) {
      throw new TypeError(`Cannot ${action}: the body of ${name} has been read already`);
    }
    const body = source.body ?? [];
    return isStream(body) ? foundStream(action, body, name) : foundIterable(body);
  }
  return isWithStream(source)
    ? { open: () => openStream(source.stream() as ReadableStream<unknown>) }
    : foundIterable(source);
}

class FoundArray implements FoundSource {
  readonly #chunks: readonly unknown[];

  constructor(chunks: readonly unknown[]) {
    this.#chunks = chunks;
  }

  open(): PullSource {
    return openIterator(this.openAtOnce());
  }

  openAtOnce(): Iterator<unknown> {
    return this.#chunks[Symbol.iterator]();
  }
}

function foundStream(action: string, stream: ReadableStream<unknown>, name: string): FoundSource {
  if (stream.locked) {
    throw new TypeError(`Cannot ${action}: ${name} is locked to another reader`);
  }
  return { stream, open: () => openStream(stream) };
}

function foundIterable(value: unknown): FoundSource | undefined {
  const opener: IterableOpener<unknown> | undefined = iterableOpener(value);
  if (opener === undefined) return undefined;
  if (opener.isAsync) return { open: () => openAsyncIterator(opener.open()) };
  return { open: () => openIterator(opener.open()), openAtOnce: opener.open };
}
