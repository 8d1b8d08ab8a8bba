import { isBytes } from "../is_bytes.ts";
import { isWithBody, isWithStream } from "../body_of.ts";
import { isNodeReadable, openNode } from "./node_read.ts";
import {
  type AsyncPull,
  openAsyncIterator,
  openIterator,
  openStream,
  type PullSource,
  type SourceEnd,
} from "./open_source.ts";
import { sourceIterator } from "./source_iterator.ts";

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

/** A value that was found to be a source, and how it is opened: once. */
export type FoundSource =
  & {
    /** What opening it locks, if that is there already: the stream that it is, or its body. */
    readonly stream?: ReadableStream<unknown>;
    open(): PullSource;
  }
  & (
    /** Its chunks, or promises of them, are there at once. */
    | { readonly isAsync: false; iterate(): Iterator<unknown> }
    | { readonly isAsync: true; iterate(): AsyncIterator<unknown> }
  );

/** Tells whether `value` is a `ReadableStream`, of whatever realm or library. */
export function isStream(value: unknown): value is ReadableStream<unknown> {
  return value !== null && typeof value === "object" &&
    typeof (value as { getReader?: unknown }).getReader === "function";
}

/**
 * Finds how a source is opened, and touches nothing; `undefined` if the value is none. A stream is read by a reader,
 * and a node stream by its own `read`: their iterators could not be given up while they wait.
 *
 * @throws {TypeError} If it is one that cannot be read any more, or is read by another.
 */
export function findSource(action: string, source: unknown, name: string): FoundSource | undefined {
  // Of all, an array is known with the least effort.
  if (Array.isArray(source) && !(Symbol.asyncIterator in source)) return new FoundIterable(source);
  if (isStream(source)) return foundStream(action, source, name);
  if (source === null || typeof source !== "object") return findIterable(action, source, name);
  if (isWithBody(source)) {
    if (source.bodyUsed) {
      throw new TypeError(`Cannot ${action}: the body of ${name} has been read already`);
    }
    const { body } = source;
    return isStream(body) ? foundStream(action, body, name) : new FoundIterable([]);
  }
  if (isWithStream(source)) {
    return foundAsync(() => openStream(source.stream() as ReadableStream<unknown>));
  }
  if (isNodeReadable(source)) return foundAsync(() => openNode(source));
  return findIterable(action, source, name);
}

class FoundIterable {
  readonly isAsync = false;
  readonly #source: Iterable<unknown>;
  readonly #open: () => Iterator<unknown>;

  constructor(source: Iterable<unknown>, open = source[Symbol.iterator]) {
    this.#source = source;
    this.#open = open;
  }

  open(): PullSource {
    return openIterator(this.iterate());
  }

  iterate(): Iterator<unknown> {
    return this.#open.call(this.#source);
  }
}

function foundAsync(
  open: () => AsyncPull & SourceEnd,
  stream?: ReadableStream<unknown>,
): FoundSource {
  return { stream, isAsync: true, open, iterate: () => sourceIterator(open()) };
}

function foundStream(action: string, stream: ReadableStream<unknown>, name: string): FoundSource {
  if (stream.locked) {
    throw new TypeError(`Cannot ${action}: ${name} is locked to another reader`);
  }
  return foundAsync(() => openStream(stream), stream);
}

/** Asynchronously where it can be, as in `for await`. */
function findIterable(action: string, value: unknown, name: string): FoundSource | undefined {
  if (value === null || value === undefined) return undefined;
  const [kind, parts] = typeof value === "string"
    ? ["text", "characters"]
    : isBytes(value)
    ? ["bytes", "numbers"]
    : [];
  if (kind !== undefined) {
    throw new TypeError(
      `Cannot ${action}: ${name} must not be ${
        kind === "text" ? "a text" : kind
      }, whose ${parts} would be the ` +
        `chunks; use [${kind}], or [...${kind}] for its ${parts}`,
    );
  }
  const { [Symbol.asyncIterator]: openAsync } = value as AsyncIterable<unknown>;
  if (typeof openAsync === "function") {
    const iterate = () => openAsync.call(value as AsyncIterable<unknown>);
    return { isAsync: true, open: () => openAsyncIterator(iterate()), iterate };
  }
  const { [Symbol.iterator]: open } = value as Iterable<unknown>;
  return typeof open === "function"
    ? new FoundIterable(value as Iterable<unknown>, open)
    : undefined;
}

/** Gives up a source, if `value` is one, that came when it was wanted no more: what only lies in memory is left alone. */
export function giveUpSource(value: unknown): void {
  try {
    const found = findSource("give up a source", value, "it");
    if (found?.isAsync === true) found.iterate().return?.()?.then(undefined, () => {});
  } catch {
    // Another reads it, or it is none.
  }
}
