import { checkInteger, throwTypeError } from "../errors.ts";
import { byteLengthOf } from "../byte_length.ts";
import { oneOf, readOptions } from "../read_options.ts";
import type { Bytes, Transformer } from "../web_types.ts";
import { operator } from "../kernels/operator.ts";

/** What `limitBytes` does at its limit. */
export interface LimitBytesOptions {
  /**
   * `"fail"`: the stream fails with the chunk that exceeds it. `"truncate"`: the stream ends, early as by `take`, with as
   * much of that chunk as fits; of text in whole characters. Default: `"fail"`.
   */
  atLimit?: "fail" | "truncate" | undefined;
}

/** As much of a chunk as fits into so many bytes, with memory of its own; of text in whole characters. */
function truncate(chunk: Uint8Array | string, byteLength: number): Uint8Array | string {
  if (typeof chunk !== "string") return new Uint8Array(chunk.subarray(0, byteLength));
  return chunk.slice(0, new TextEncoder().encodeInto(chunk, new Uint8Array(byteLength)).read);
}

/** Whether a unit of a text is one of the 1024 from `first` on, as the halves of surrogate pairs are. */
function isUnitFrom(first: number, chunk: Uint8Array | string, index: number): boolean {
  return typeof chunk === "string" && chunk.charCodeAt(index) >> 10 === first >> 10;
}

/**
 * Lets bytes through, and fails with a `RangeError` when there are more than `maxBytes`: with the chunk that
 * exceeds it, of which nothing goes on. Unless it is asked to truncate, output that ends is complete.
 *
 * @typeParam T The type of the chunks: `Uint8Array` or, counted as UTF-8, `string`.
 * @param maxBytes How many bytes are allowed.
 * @param options What happens beyond them.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. A chunk that is neither fails
 * the stream with a `TypeError`.
 * @throws {TypeError} If `maxBytes` is not a number, `atLimit` not one of the two, or an option is unknown.
 * @throws {RangeError} If `maxBytes` is not a non-negative integer.
 *
 * @example A body that is too big
 * ```ts
 * import { limitBytes } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const body = new Response("far too long").body!
 *   .pipeThrough(new TransformStream(limitBytes(5)));
 *
 * await assert.rejects(() => new Response(body).text(), /RangeError: .*more than 5 bytes/);
 * ```
 *
 * @example The beginning of a text
 * ```ts
 * import { limitBytes, toText } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const beginning = limitBytes<string>(5, { atLimit: "truncate" });
 * assert.deepEqual(await toText(["1 €, ", "2 €"], beginning), "1 €");
 * ```
 */
export function limitBytes<T extends Uint8Array | string = Bytes>(
  maxBytes: number,
  options: LimitBytesOptions = {},
): Transformer<T, T> {
  const action = "create limitBytes";
  checkInteger(action, "maxBytes", maxBytes, 0);
  const readers = { atLimit: oneOf(["fail", "truncate"], "fail") };
  const { atLimit } = readOptions(action, options, readers);
  const truncates = atLimit === "truncate";
  return operator((controller) => {
    if (truncates && maxBytes === 0) controller.terminate();
    let count = 0;
    let endsInHalf = false;
    return {
      transform(chunk) {
        const length = byteLengthOf(chunk);
        if (length === undefined) {
          throwTypeError("limit bytes", "a chunk", "a Uint8Array or a string", chunk);
        }
        let left = maxBytes - count;
        count += length;
        if (length > 0) {
          // The halves of a pair are three bytes each by themselves, and four together.
          if (endsInHalf && isUnitFrom(0xdc00, chunk, 0)) {
            count -= 2;
            left += 2;
          }
          endsInHalf = isUnitFrom(0xd800, chunk, chunk.length - 1);
        }
        if (truncates && count >= maxBytes) {
          const rest = count === maxBytes ? chunk : truncate(chunk, left) as T;
          if (rest.length > 0) controller.enqueue(rest);
          return controller.terminate();
        }
        if (count > maxBytes) {
          throw new RangeError(`Cannot limit bytes: there are more than ${maxBytes} bytes`);
        }
        controller.enqueue(chunk);
      },
    };
  }, { name: "limitBytes" });
}
