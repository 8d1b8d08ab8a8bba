import { problemOf } from "../engine/plan_stages.ts";
import { throwTypeError } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import { meaningOf } from "../kernels/registry.ts";
import { isPairPart } from "../pair.ts";
import type { Compose } from "./compose_signatures.ts";
import { ComposedStream } from "./composed_stream.ts";

const methods = ["start", "transform", "flush", "cancel"] as const;

/** Throws unless `stage` is a transformer. */
function checkStage(stage: unknown, index: number): void {
  if (isPairPart(stage)) return;
  const name = `stage ${index + 1}`;
  const problem = problemOf(stage);
  if (problem !== undefined) throw new TypeError(`Cannot compose: ${name} is ${problem}`);
  if (meaningOf(stage as object) !== undefined) return;
  for (const method of methods) {
    const value = (stage as Record<string, unknown>)[method];
    if (value !== undefined && typeof value !== "function") {
      throwTypeError("compose", `${method} of ${name}`, "a function", value);
    }
  }
}

/**
 * Makes one transformer of several, to name a part of a chain, or for a chain whose length is known only at run time.
 * `fuse` and `pipeline` run its stages as if you had listed them; in a `new TransformStream()` it does what `fuse`
 * does. It can be part of another composition and serve many streams.
 *
 * A pair of native streams, such as a `DecompressionStream`, can be a part, and then it serves one run; `() => pair` is
 * called for each run, once all other arguments are found right. A composition with a pair is for `fuse` and `pipeline`
 * alone: in a `new TransformStream()` there is no way to see when more is wanted, so it is refused there.
 *
 * @param stages Transformers, from the first to the last; or one array of them. Without any it passes chunks on.
 * @returns A transformer for `new TransformStream()`, `fuse`, `pipeline` and `compose`; it cannot be changed.
 *
 * @throws {TypeError} If a stage is not a transformer, a pair of streams or a function that makes one.
 *
 * @example Name a part
 * ```ts
 * import { compose, filter, map, pipeline } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const numbers = compose(
 *   map((text: string) => Number(text)),
 *   filter((n) => !Number.isNaN(n)),
 * );
 * const sums: number[] = [];
 * await pipeline(["1", "x", "2"], numbers, map((n) => n + n), (n) => void sums.push(n));
 *
 * assert.deepEqual(sums, [2, 4]);
 * ```
 *
 * @example With a pair of native streams
 * ```ts
 * import { compose, lines, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const zippedLines = compose(() => new DecompressionStream("gzip"), lines());
 * const file = () => new Blob(["a\nb\n"]).stream().pipeThrough(new CompressionStream("gzip"));
 *
 * assert.deepEqual(await toArray(file(), zippedLines), ["a", "b"]);
 * assert.deepEqual(await toArray(file(), zippedLines), ["a", "b"]);
 * ```
 *
 * @example A chain of any length
 * ```ts
 * import { compose, map } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const doublings = Array.from({ length: 10 }, () => map((n: number) => n * 2));
 * const thousands = ReadableStream.from([1, 2])
 *   .pipeThrough(new TransformStream(compose(doublings)));
 *
 * assert.deepEqual(await Array.fromAsync(thousands), [1024, 2048]);
 * ```
 */
export const compose: Compose = composeAll as Compose;

function composeAll(...args: readonly unknown[]): unknown {
  const isArray = args.length === 1 && Array.isArray(args[0]);
  const stages = [...isArray ? args[0] as readonly unknown[] : args];
  stages.forEach(checkStage);
  // A changed copy is no composition any more, but a transformer like any other.
  const all = stages.flatMap((stage) => meaningOf(stage as object)?.stages ?? [stage]);
  const pairAt = all.findIndex(isPairPart);
  return operator((controller) => {
    if (pairAt >= 0) {
      // It would take all that the source has: the room behind it cannot be seen.
      throw new TypeError(
        `Cannot run compose in a TransformStream: part ${
          pairAt + 1
        } is a pair of streams; use pipeThrough(fuse(stage))`,
      );
    }
    return new ComposedStream(all, controller, "compose");
  }, { name: "compose", stages: all });
}
