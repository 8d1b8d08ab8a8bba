import { throwTypeError } from "../errors.ts";
import { generatorTag } from "../generator_tag.ts";
import { type GeneratorFunction, generatorTransformer } from "../kernels/generator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";

/** What `stage` takes: an overload for each kind. */
export interface CreateStage {
  /** Of a function that makes an async iterable of another. */
  <I, O>(
    generate: (source: AsyncIterableIterator<I>, context: StageContext) => AsyncIterable<O>,
  ): Transformer<I, O>;
  /** Of a transformer, which is returned as it is. */
  <I, O>(transformer: Transformer<I, O>): Transformer<I, O>;
}

/**
 * Makes a stage of a function from an async iterable to another, such as an async generator function or one that
 * calls a library's; or gives a transformer written in place its types.
 *
 * The function is called once in each stream, and what it returns is read only as there is room. It has done with a
 * chunk once it asks for the next one. If it returns before its source has ended, what is before it is cancelled. If
 * the stream fails or is not wanted any more, what it waits for of its source rejects with the reason, and its
 * `return()` is called: a generator's `finally` runs on every ending, and is waited for. An `async function*` itself is
 * a stage wherever stages go but in `new TransformStream()`.
 *
 * A transformer is returned as it is: in a chain, a literal whose chunk has no type of its own is looked at after the
 * calls behind it, which then know nothing of what it gives; in `stage` it is looked at in its turn.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out; taken from the controller's type.
 * @param stage A function that is given its chunks as an async iterable, and a context with a `signal` that aborts when
 * the stream is cancelled or aborted, and returns an async iterable; or a transformer, as `new TransformStream()` takes
 * it.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`; of a transformer, that itself.
 * @throws {TypeError} If it is neither a function nor an object, or a synchronous generator function. The stream fails
 * with one if the function does not return an async iterable.
 *
 * @example A function that makes a stage
 * ```ts
 * import { stage, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * async function* parse(source: AsyncIterable<string>, separator: string) {
 *   for await (const line of source) yield line.split(separator);
 * }
 * const rows = await toArray(["a;b", "c;d"], stage((source) => parse(source, ";")));
 *
 * assert.deepEqual(rows, [["a", "b"], ["c", "d"]]);
 * ```
 *
 * @example A stage in place
 * ```ts
 * import { map, pipeline, stage } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const lengths: number[] = [];
 * await pipeline(
 *   [7, 12],
 *   stage({
 *     transform(chunk, controller: TransformStreamDefaultController<string>) {
 *       controller.enqueue(chunk.toFixed(1));
 *     },
 *   }),
 *   map((text) => text.length),
 *   (length) => void lengths.push(length),
 * );
 *
 * assert.deepEqual(lengths, [3, 4]);
 * ```
 */
export const stage: CreateStage = createStage;

function createStage<I, O>(stage: unknown): Transformer<I, O> {
  const action = "create stage";
  const tag = generatorTag(stage);
  if (tag === "GeneratorFunction") {
    throw new TypeError(
      `Cannot ${action}: stage is a generator function; make it an async function*, or use flatMap(fn)`,
    );
  }
  if (typeof stage === "function") {
    return generatorTransformer(stage as GeneratorFunction);
  }
  if (typeof stage !== "object" || stage === null) {
    throwTypeError(action, "stage", "a function or an object", stage);
  }
  return stage as Transformer<I, O>;
}
