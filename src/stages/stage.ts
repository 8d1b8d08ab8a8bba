import { throwTypeError } from "../errors.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Gives a transformer written in place its types, and returns it as it is. In a chain, a literal whose chunk has no
 * type of its own is looked at after the calls behind it, which then know nothing of what it gives; in `stage` it is
 * looked at in its turn.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out; taken from the controller's type.
 * @param transformer A transformer, as `new TransformStream()` takes it.
 * @returns The same object.
 * @throws {TypeError} If `transformer` is not an object.
 *
 * @example A stage in place
 * ```ts
 * import { map, pipeline, stage } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
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
 * assertEquals(lengths, [3, 4]);
 * ```
 */
export function stage<I, O>(transformer: Transformer<I, O>): Transformer<I, O> {
  if (typeof transformer !== "object" || transformer === null) {
    throwTypeError("create stage", "transformer", "an object", transformer);
  }
  return transformer;
}
