import { throwTypeError } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Puts a separator between chunks of text, as `Array.prototype.join` does: before each but the first.
 *
 * It holds nothing: a chunk goes on at once, with the separator before it.
 *
 * @param separator What stands between two chunks.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. A chunk that is not a string fails the
 * stream with a `TypeError`.
 * @throws {TypeError} If `separator` is not a string.
 *
 * @example A JSON array, written as it comes
 * ```ts
 * import { concat, intersperse, map, reader, toText } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const items = reader([{ id: 1 }, { id: 2 }])
 *   .pipeThrough(new TransformStream(map((item: { id: number }) => JSON.stringify(item))))
 *   .pipeThrough(new TransformStream(intersperse(",")));
 *
 * assert.deepEqual(await toText(concat(["["], items, ["]"])), '[{"id":1},{"id":2}]');
 * ```
 */
export function intersperse(separator: string): Transformer<string, string> {
  if (typeof separator !== "string") {
    throwTypeError("create intersperse", "separator", "a string", separator);
  }
  return operator((controller) => {
    let isFirst = true;
    return {
      transform(chunk) {
        if (typeof chunk !== "string") throwTypeError("intersperse", "a chunk", "a string", chunk);
        controller.enqueue(isFirst ? chunk : separator + chunk);
        isFirst = false;
      },
    };
  }, { name: "intersperse" });
}
