import type { Fuse } from "./fuse_signatures.ts";
import { checkOptions } from "../errors.ts";
import { isOptions } from "../is_options.ts";
import { fuseStreams } from "./fuse_streams.ts";
import type { FuseStrategies } from "./types.ts";

function isStrategies(value: unknown): value is FuseStrategies<unknown, unknown> {
  return typeof value === "object" && value !== null &&
    ("writableStrategy" in value || "readableStrategy" in value);
}

/**
 * Makes one pair of native streams out of a chain of transformers, at the cost of one transform stream: stages that
 * answer synchronously run one after the other without promises; a stage that returns a promise keeps a bounded queue
 * of its own.
 *
 * It does what the native chain of the same transformers does, with a few differences; the main three: chunks made before a failure
 * are delivered; if a failure races an early end, the order of chunks decides; an earlier stage may run ahead of a
 * later one within one input chunk.
 *
 * Native streams also stand around each pair of streams among the stages, which is piped through as in a native chain.
 *
 * @param stages Transformers, as `new TransformStream()` takes them, from the first to the last. A pair of native
 * streams, such as a `CompressionStream`, or `() => pair` may stand among them; a pair serves one run.
 * @param strategies Last, and optional: `writableStrategy` (default `highWaterMark` 1 chunk) and
 * `readableStrategy` (default 0 chunks).
 * @returns The writable side of the first stage and the readable side of the last.
 *
 * @throws {TypeError} If a stage is not a transformer, or the last of several arguments is `{}`.
 * @throws {RangeError} If a stage has a `readableType` or `writableType`, or a highWaterMark is negative.
 * @throws Whatever a stage's `start` throws.
 *
 * @example Fuse three stages between native ends
 * ```ts
 * import { filter, fuse, map } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const squares = ReadableStream.from([1, 2, 3, 4]).pipeThrough(fuse(
 *   filter((n: number) => n % 2 === 0),
 *   map((n) => n * n),
 *   map((square) => `${square}`),
 * ));
 *
 * assert.deepEqual(await Array.fromAsync(squares), ["4", "16"]);
 * ```
 */
export const fuse: Fuse = fuseAll as Fuse;

function fuseAll(...args: readonly unknown[]): unknown {
  const last = args.at(-1);
  const strategies = isStrategies(last) ? last : {};
  const stages = args.slice(0, isStrategies(last) || last === undefined ? -1 : undefined);
  checkOptions("fuse", strategies, ["writableStrategy", "readableStrategy"]);
  if (stages.length > 1 && isOptions(last) && Reflect.ownKeys(last as object).length === 0) {
    throw new TypeError(
      `Cannot fuse: stage ${stages.length} has no method of a stage; ` +
        "did you mean strategies, { writableStrategy, readableStrategy }?",
    );
  }
  return fuseStreams(stages, strategies);
}
