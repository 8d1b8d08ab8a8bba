import { oneOf, readOptions } from "../read_options.ts";
import { findSource } from "../source/find_source.ts";
import type { Sources } from "../source_types.ts";
import { directStream } from "./direct_stream.ts";
import { type Joined, Joining } from "./joining.ts";
import { checkSources, nameOfArgument, openSources, sourcesOf } from "./open_sources.ts";
import type { SourceReader } from "./source_reader.ts";

/** How `zip` ends when its sources are not equally long. */
export interface ZipOptions<Mode extends "shortest" | "longest" | "strict" = "shortest"> {
  /**
   * `"shortest"`: with the first source that ends; the others are cancelled. `"longest"`: with the last;
   * those that have ended give `undefined`. `"strict"`: with all together; if some have ended and another
   * gives a chunk, the stream fails with a `TypeError`. Default: `"shortest"`.
   */
  mode?: Mode | undefined;
}

/**
 * Joins sources into one stream of tuples: the first chunk of each, then the second of each, and so on.
 *
 * The chunks of a tuple are read at the same time, and only on demand. The first failure is the stream's,
 * and the other sources are cancelled with it. Cancelling reaches all of them.
 *
 * @typeParam Chunks The types of the sources' chunks, which are also those of a tuple.
 * @param sources What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request` each; last, and optional, how it ends. Streams are locked at once.
 * @returns A stream with a `highWaterMark` of 0.
 * @throws {TypeError} If a source is none of these, is locked, or is the same stream as another; if `mode`
 * is not one of the three, or an option is unknown.
 *
 * @example Questions and answers
 * ```ts
 * import { zip } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const pairs = zip(["6 * 7", "1 + 1", "?"], [42, 2]);
 * assert.deepEqual(await Array.fromAsync(pairs), [["6 * 7", 42], ["1 + 1", 2]]);
 *
 * const padded = zip(["a", "b"], [1], { mode: "longest" });
 * assert.deepEqual(await Array.fromAsync(padded), [["a", 1], ["b", undefined]]);
 * ```
 */
export function zip<Chunks extends unknown[]>(
  ...sources: Sources<Chunks>
): ReadableStream<Chunks>;
/**
 * Joins sources into one stream of tuples, with options; see above.
 *
 * @param sources What to read, and last how it ends.
 */
export function zip<Chunks extends unknown[]>(
  ...sources: [...sources: Sources<Chunks>, options: ZipOptions<"shortest" | "strict">]
): ReadableStream<Chunks>;
/**
 * Joins sources into one stream of tuples, as long as the longest of them; see above.
 *
 * @param sources What to read, and last how it ends.
 */
export function zip<Chunks extends unknown[]>(
  ...sources: [...sources: Sources<Chunks>, options: ZipOptions<"longest">]
): ReadableStream<{ [Index in keyof Chunks]: Chunks[Index] | undefined }>;
export function zip(...args: unknown[]): ReadableStream<unknown[]> {
  const action = "create zip";
  const hasOptions = args.length > 0 && typeof args.at(-1) === "object" && args.at(-1) !== null &&
    findSource(action, args.at(-1), nameOfArgument(args.length - 1)) === undefined;
  const sources = hasOptions ? args.slice(0, -1) : args;
  const options = (hasOptions ? args.at(-1) : {}) as ZipOptions;
  const readers = { mode: oneOf(["shortest", "longest", "strict"], "shortest") };
  const { mode } = readOptions(action, options, readers);
  const found = checkSources(action, sources, nameOfArgument);
  return directStream(new Zipping(openSources(found, sourcesOf("zip")), mode), "zip");
}

/** Gives tuples of one chunk of each source. */
class Zipping extends Joining<unknown[]> {
  readonly #mode: "shortest" | "longest" | "strict";
  readonly #all: Joined[];
  readonly #none: readonly undefined[];
  #values: unknown[];
  #hasChunk = false;

  constructor(sources: readonly SourceReader<unknown>[], mode: "shortest" | "longest" | "strict") {
    super(sources);
    this.#all = this.idle;
    this.#mode = mode;
    this.#none = sources.map(() => undefined);
    this.#values = this.#none.slice();
  }

  protected override take({ index }: Joined, chunk: unknown): void {
    this.#values[index] = chunk;
    this.#hasChunk = true;
  }

  protected override give(): boolean {
    if (this.hasFailed) return false;
    const hasEnded = this.open.size < this.#none.length;
    if (this.#mode === "shortest" && hasEnded) return this.close();
    if (this.#mode === "strict" && hasEnded && this.#hasChunk) {
      this.fail(new TypeError("Cannot zip: the sources are not equally long"));
      return false;
    }
    if (this.readCount > 0 || !this.#hasChunk) return false;
    const values = this.#values;
    this.#values = this.#none.slice();
    this.#hasChunk = false;
    this.idle = this.#all;
    return this.enqueue(values);
  }
}
