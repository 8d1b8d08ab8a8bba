import { checkFunction, checkOptions } from "../errors.ts";
import type { Sources } from "../source_types.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { namedStream } from "./named_stream.ts";
import { checkSources, nameOfArgument, openSources, sourcesOf } from "./open_sources.ts";
import { abandonAll, cancelAll, describePending, type SourceReader } from "./source_reader.ts";

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
  checkOptions(action, order, ["compare", "key"]);
  const { compare, key } = order;
  if ((compare === undefined) === (key === undefined)) {
    throw new TypeError(`Cannot ${action}: ${need}`);
  }
  if (compare !== undefined) checkFunction(action, "compare", compare);
  if (key !== undefined) checkFunction(action, "key", key);
  const found = checkSources(action, sources, nameOfArgument);
  const merging = new OrderedMerging<Chunks[number]>(
    openSources(found, sourcesOf("mergeBy")),
    key === undefined ? compare as Compare : compareKeys,
    (key ?? ((chunk: unknown) => chunk)) as (chunk: unknown) => unknown,
  );
  return namedStream("mergeBy", merging);
}

type Controller<T> = ReadableStreamDefaultController<T>;

/** Tells the order of what two chunks are compared by. */
type Compare = (a: unknown, b: unknown) => number;

/** The next chunk of a source. */
interface Head {
  readonly source: SourceReader<unknown>;
  readonly index: number;
  readonly chunk: unknown;
  /** What it is compared by. */
  readonly rank: unknown;
}

/** The underlying source that gives what several sources in order give, in order. */
class OrderedMerging<T> implements UnderlyingDefaultSource<T> {
  readonly #compare: Compare;
  readonly #rank: (chunk: unknown) => unknown;
  readonly #open: Set<SourceReader<unknown>>;
  /** Those of which no chunk is held. */
  #empty: (readonly [index: number, source: SourceReader<unknown>])[];
  /** One of each other, the first of all last. */
  readonly #heads: Head[] = [];
  #isOver = false;
  #endPull: (() => void) | undefined;

  constructor(
    sources: readonly SourceReader<unknown>[],
    compare: Compare,
    rank: (chunk: unknown) => unknown,
  ) {
    this.#compare = compare;
    this.#rank = rank;
    this.#open = new Set(sources);
    this.#empty = [...sources.entries()];
  }

  start(controller: Controller<T>): void {
    if (this.#open.size === 0) controller.close();
  }

  pull(controller: Controller<T>): Promise<void> {
    return new Promise((resolve) => {
      // One that fails or is cancelled may leave a read of another that hangs.
      this.#endPull = resolve;
      this.#fill(controller).then(resolve);
    });
  }

  cancel(reason: unknown): Promise<void> {
    this.#end();
    return cancelAll(this.#open, reason);
  }

  waiting(): string | undefined {
    const read = new Set(this.#heads.map(({ source }) => source));
    return describePending([...this.#open].filter((source) => !read.has(source)));
  }

  async #fill(controller: Controller<T>): Promise<void> {
    const empty = this.#empty;
    this.#empty = [];
    await Promise.all(empty.map(([index, source]) => this.#read(index, source, controller)));
    if (this.#isOver) return;
    const head = this.#heads.pop();
    if (head === undefined) {
      this.#isOver = true;
      return controller.close();
    }
    this.#empty.push([head.index, head.source]);
    controller.enqueue(head.chunk as T);
  }

  async #read(
    index: number,
    source: SourceReader<unknown>,
    controller: Controller<T>,
  ): Promise<void> {
    try {
      // An earlier source's `next()` may have cancelled all.
      if (this.#isOver) return;
      const { done, value: chunk } = await source.read();
      if (this.#isOver) return;
      if (done) this.#open.delete(source);
      else this.#insert({ source, index, chunk, rank: this.#rank(chunk) });
    } catch (reason) {
      if (this.#isOver) return;
      this.#end();
      controller.error(reason);
      abandonAll(this.#open, reason);
    }
  }

  /** Keeps the heads in order, the last one first. */
  #insert(head: Head): void {
    const heads = this.#heads;
    let [low, high] = [0, heads.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(head, heads[middle]!)) low = middle + 1;
      else high = middle;
    }
    heads.splice(low, 0, head);
  }

  #isBefore(a: Head, b: Head): boolean {
    const order = this.#compare(a.rank, b.rank);
    return order < 0 || (!(order > 0) && a.index < b.index);
  }

  #end(): void {
    this.#isOver = true;
    this.#heads.length = 0;
    this.#endPull?.();
  }
}
