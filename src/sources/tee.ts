import { checkInteger, checkOptions } from "../errors.ts";
import type { Source } from "../source_types.ts";
import { toStrategy } from "../strategy.ts";
import { checkOneSource } from "./open_sources.ts";
import { SharedSource } from "./shared_source.ts";
import { SourceReader } from "./source_reader.ts";

/** How far the branches of `tee` may be apart. */
export interface TeeOptions {
  /**
   * How many chunks a branch may be behind the one that is ahead; the source waits for a branch that is
   * further. 0 reads only when all branches ask; `Infinity` never waits. Default: 1.
   */
  highWaterMark?: number | undefined;
}

/**
 * Gives the chunks of one source to several streams.
 *
 * The source is read when a branch asks and every other has room, so that what is held is bounded by the
 * high-water mark, and the pace is that of the slowest. A branch must be read or cancelled: one that is
 * cancelled holds nothing back. Once all are cancelled, the source is, with the last reason. Its failure or
 * its end reaches each branch after the chunks before it. All branches get the same chunk: copy it before
 * you change it.
 *
 * @typeParam T The type of the chunks.
 * @param source What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request`. A stream is locked at once.
 * @param count How many branches.
 * @param options How far they may be apart.
 * @returns `count` streams.
 * @throws {TypeError} If `source` is none of these or locked, a number is not one, or an option is unknown.
 * @throws {RangeError} If `count` is not a positive integer, or `highWaterMark` negative.
 *
 * @example One source to two sinks
 * ```ts
 * import { pipeline, tee } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const kept: number[] = [];
 * let sum = 0;
 * const [first, second] = tee([1, 2, 3], 2);
 * await Promise.all([
 *   pipeline(first!, (n) => void kept.push(n)),
 *   pipeline(second!, (n) => void (sum += n)),
 * ]);
 *
 * assert.deepEqual([kept, sum], [[1, 2, 3], 6]);
 * ```
 */
export function tee<T>(
  source: Source<T>,
  count: number,
  options: TeeOptions = {},
): ReadableStream<T>[] {
  const action = "create tee";
  const found = checkOneSource(action, source);
  checkInteger(action, "count", count, 1);
  checkOptions(action, options, ["highWaterMark"]);
  const { highWaterMark = 1 } = toStrategy(action, options);
  const shared = new SharedSource<T>(new SourceReader(found, "source of tee"), {
    endsWithLast: true,
  });
  return Array.from(
    { length: count },
    () => shared.join("tee", { highWaterMark, overflow: "wait" }),
  );
}
