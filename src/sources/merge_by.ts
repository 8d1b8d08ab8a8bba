import { callback, readOptions } from "../read_options.ts";
import type { Sources } from "../source_types.ts";
import { directStream } from "./direct_stream.ts";
import { type Joined, Joining } from "./joining.ts";
import { checkSources, nameOfArgument, openSources, sourcesOf } from "./open_sources.ts";
import type { SourceReader } from "./source_reader.ts";

/** The order of `mergeBy`: `compare`, or `key`. */
export interface MergeByOrder<T> {
  /** Answers a number below 0 if `a` is before `b`, above 0 if it is after it, as for `Array.prototype.sort`. */
  compare?: ((a: T, b: T) => number) | undefined;
  /** Returns what is compared by `<`: a number, a text, a `BigInt` or a `Date`. */
  key?: ((chunk: T) => number | string | bigint | Date) | undefined;
}

/** Compares keys. */
const compareKeys: Compare = (a, b) =>
  (a as number) < (b as number) ? -1 : (b as number) < (a as number) ? 1 : 0;

const need = "order must have one of compare and key";

/**
 * Joins sources that are each in order into one stream that is in order.
 *
 * Nothing is read before the first read; at most one chunk of each source is held. Of chunks that are equal, that of
 * the earlier argument is first. The order within a source is its own: it is not checked. The first failure is the
 * stream's, and the other sources are cancelled with it. Cancelling reaches all of them.
 *
 * @typeParam Chunks The types of the sources' chunks.
 * @param order How two chunks are compared: one of `compare` and `key`.
 * @param sources What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request` each. Streams are locked at once.
 * @returns A stream with a `highWaterMark` of 0.
 * @throws {TypeError} If `order` has not exactly one of the two or it is not a function; if a source is none of
 * these, is locked, or is the same stream as another.
 *
 * @example Logs of two machines
 * ```ts
 * import { mergeBy, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const first = [{ time: 1, text: "a" }, { time: 4, text: "d" }];
 * const second = [{ time: 2, text: "b" }, { time: 3, text: "c" }];
 * const lines = await toArray(mergeBy({ key: (line) => line.time }, first, second));
 *
 * assert.deepEqual(lines.map(({ text }) => text), ["a", "b", "c", "d"]);
 * ```
 */
export function mergeBy<Chunks extends unknown[]>(
  order: MergeByOrder<Chunks[number]>,
  ...sources: Sources<Chunks>
): ReadableStream<Chunks[number]> {
  const action = "create mergeBy";
  // Without this, it would say that there is neither.
  if (order === undefined || order === null) throw new TypeError(`Cannot ${action}: ${need}`);
  const { compare, key } = readOptions(action, order, { compare: callback(), key: callback() });
  if ((compare === undefined) === (key === undefined)) {
    throw new TypeError(`Cannot ${action}: ${need}`);
  }
  const found = checkSources(action, sources, nameOfArgument);
  const merging = new OrderedMerging<Chunks[number]>(
    openSources(found, sourcesOf("mergeBy")),
    key === undefined ? compare as Compare : compareKeys,
    (key ?? ((chunk: unknown) => chunk)) as (chunk: unknown) => unknown,
  );
  return directStream(merging, "mergeBy", true);
}

type Compare = (a: unknown, b: unknown) => number;

/** The first chunk of a source that has not been given. */
interface Head {
  readonly entry: Joined;
  readonly chunk: unknown;
  /** What it is compared by. */
  readonly rank: unknown;
}

/** Gives the least of the first chunks of all sources. */
class OrderedMerging<T> extends Joining<T> {
  readonly #compare: Compare;
  readonly #rank: (chunk: unknown) => unknown;
  /** The last is the one to go first. */
  readonly #heads: Head[] = [];

  constructor(
    sources: readonly SourceReader<unknown>[],
    compare: Compare,
    rank: (chunk: unknown) => unknown,
  ) {
    super(sources);
    this.#compare = compare;
    this.#rank = rank;
  }

  /** Inserts it where it belongs, by halves. */
  protected override take(entry: Joined, chunk: unknown): void {
    const head = { entry, chunk, rank: this.#rank(chunk) };
    const heads = this.#heads;
    let [low, high] = [0, heads.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(head, heads[middle]!)) low = middle + 1;
      else high = middle;
    }
    heads.splice(low, 0, head);
  }

  protected override give(): boolean {
    if (this.hasFailed || this.readCount > 0 || this.idle.length > 0) return false;
    const head = this.#heads.pop();
    if (head === undefined) return false;
    this.idle.push(head.entry);
    return this.enqueue(head.chunk as T);
  }

  #isBefore(a: Head, b: Head): boolean {
    const order = this.#compare(a.rank, b.rank);
    return order < 0 || (!(order > 0) && a.entry.index < b.entry.index);
  }
}
