import { throwTypeError } from "../errors.ts";
import { generatorTag } from "../generator_tag.ts";
import { operator } from "../kernels/operator.ts";
import { meaningOf } from "../kernels/registry.ts";
import type { Compose } from "./compose_signatures.ts";
import { ComposedStream } from "./composed_stream.ts";

const methods = ["start", "transform", "flush", "cancel"] as const;

/** Throws unless `stage` is a transformer. */
function checkStage(stage: unknown, index: number): void {
  const name = `stage ${index + 1}`;
  const tag = generatorTag(stage);
  if (tag === "AsyncGeneratorFunction") return;
  if (tag !== undefined) {
    throw new TypeError(
      `Cannot compose: ${name} is a generator function; make it an async function*, or use flatMap(fn)`,
    );
  }
  if (typeof stage !== "object" || stage === null || Array.isArray(stage)) {
    throwTypeError("compose", name, "a transformer", stage);
  }
  if (
    "getReader" in stage || "getWriter" in stage || ("readable" in stage && "writable" in stage)
  ) {
    throw new TypeError(
      `Cannot compose: ${name} must be a transformer, got streams; only pipeline takes a pair of them`,
    );
  }
  // An operator's own is right, and reading its `start` would make what only a native stream needs.
  if (meaningOf(stage) !== undefined) return;
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
 * @param stages Transformers, from the first to the last; or one array of them. Without any it passes chunks on.
 * @returns A transformer for `new TransformStream()`, `fuse`, `pipeline` and `compose`; it cannot be changed.
 *
 * @throws {TypeError} If a stage is not a transformer; a pair of streams is none.
 *
 * @example Name a part
 * ```ts
 * import { compose, filter, map, pipeline } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const numbers = compose(
 *   map((text: string) => Number(text)),
 *   filter((n) => !Number.isNaN(n)),
 * );
 * const sums: number[] = [];
 * await pipeline(["1", "x", "2"], numbers, map((n) => n + n), (n) => void sums.push(n));
 *
 * assertEquals(sums, [2, 4]);
 * ```
 *
 * @example A chain of any length
 * ```ts
 * import { compose, map } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const doublings = Array.from({ length: 10 }, () => map((n: number) => n * 2));
 * const thousands = ReadableStream.from([1, 2])
 *   .pipeThrough(new TransformStream(compose(doublings)));
 *
 * assertEquals(await Array.fromAsync(thousands), [1024, 2048]);
 * ```
 */
export const compose: Compose = composeAll as Compose;

function composeAll(...args: readonly unknown[]): unknown {
  const isArray = args.length === 1 && Array.isArray(args[0]);
  const stages = [...isArray ? args[0] as readonly unknown[] : args];
  stages.forEach(checkStage);
  // A changed copy is no composition any more, but a transformer like any other.
  const all = stages.flatMap((stage) => meaningOf(stage as object)?.stages ?? [stage]);
  return operator((controller) => new ComposedStream(all, controller), { stages: all });
}
