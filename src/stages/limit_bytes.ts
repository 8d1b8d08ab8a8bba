import { checkInteger, throwTypeError } from "../errors.ts";
import { byteLengthOf } from "../byte_length.ts";
import type { Bytes, Transformer } from "../web_types.ts";
import { operator } from "../kernels/operator.ts";

/** Whether a unit of a text is one of the 1024 from `first` on, as the halves of surrogate pairs are. */
function isUnitFrom(first: number, chunk: Uint8Array | string, index: number): boolean {
  return typeof chunk === "string" && chunk.charCodeAt(index) >> 10 === first >> 10;
}

/**
 * Lets bytes through, and fails with a `RangeError` when there are more than `maxBytes`: with the chunk that
 * exceeds it, of which nothing goes on. It never truncates, so output that ends is complete.
 *
 * @typeParam T The type of the chunks: `Uint8Array` or, counted as UTF-8, `string`.
 * @param maxBytes How many bytes are allowed.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. A chunk that is neither fails
 * the stream with a `TypeError`.
 * @throws {TypeError} If `maxBytes` is not a number.
 * @throws {RangeError} If `maxBytes` is not a non-negative integer.
 *
 * @example A body that is too big
 * ```ts
 * import { limitBytes } from "@hosepipe/streams";
 * import { assertRejects } from "@std/assert";
 *
 * const body = new Response("far too long").body!
 *   .pipeThrough(new TransformStream(limitBytes(5)));
 *
 * await assertRejects(() => new Response(body).text(), RangeError, "more than 5 bytes");
 * ```
 */
export function limitBytes<T extends Uint8Array | string = Bytes>(
  maxBytes: number,
): Transformer<T, T> {
  checkInteger("create limitBytes", "maxBytes", maxBytes, 0);
  return operator((controller) => {
    let count = 0;
    let endsInHalf = false;
    return {
      transform(chunk) {
        const length = byteLengthOf(chunk);
        if (length === undefined) {
          throwTypeError("limit bytes", "a chunk", "a Uint8Array or a string", chunk);
        }
        count += length;
        if (length > 0) {
          // The halves of a pair are three bytes each by themselves, and four together.
          if (endsInHalf && isUnitFrom(0xdc00, chunk, 0)) count -= 2;
          endsInHalf = isUnitFrom(0xd800, chunk, chunk.length - 1);
        }
        if (count > maxBytes) {
          throw new RangeError(`Cannot limit bytes: there are more than ${maxBytes} bytes`);
        }
        controller.enqueue(chunk);
      },
    };
  }, { name: "limitBytes" });
}
