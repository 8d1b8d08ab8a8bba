import { checkInteger, throwTypeError } from "../errors.ts";
import { isBytes, joinBytes } from "../is_bytes.ts";
import type { Bytes, Transformer } from "../web_types.ts";
import { operator } from "../kernels/operator.ts";

/**
 * Cuts bytes into chunks of one length; the last may be shorter, none is empty.
 *
 * A chunk that already has that length is passed on as it is; any other has memory of its own.
 *
 * @param byteLength How many bytes a chunk has.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. A chunk that is not a
 * `Uint8Array` fails the stream with a `TypeError`.
 * @throws {TypeError} If `byteLength` is not a number.
 * @throws {RangeError} If `byteLength` is not a positive integer.
 *
 * @example Parts of an upload
 * ```ts
 * import { rechunk } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const bytes = [Uint8Array.of(1, 2, 3), Uint8Array.of(4), Uint8Array.of(5)];
 * const parts = ReadableStream.from(bytes).pipeThrough(new TransformStream(rechunk(2)));
 *
 * assertEquals((await Array.fromAsync(parts)).map((part) => [...part]), [[1, 2], [3, 4], [5]]);
 * ```
 */
export function rechunk(byteLength: number): Transformer<Uint8Array, Bytes> {
  checkInteger("create rechunk", "byteLength", byteLength, 1);
  return operator((controller) => {
    let parts: Uint8Array[] = [];
    let held = 0;
    const emit = (): void => {
      if (held === 0) return;
      const chunk = joinBytes(parts, held);
      parts = [];
      held = 0;
      controller.enqueue(chunk);
    };
    return {
      transform(chunk) {
        if (!isBytes(chunk)) throwTypeError("rechunk", "a chunk", "a Uint8Array", chunk);
        if (held === 0 && chunk.length === byteLength) {
          return controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
        }
        let start = 0;
        while (held + chunk.length - start >= byteLength) {
          const end = start + byteLength - held;
          controller.enqueue(joinBytes([...parts, chunk.subarray(start, end)], byteLength));
          parts = [];
          held = 0;
          start = end;
        }
        if (start === chunk.length) return;
        // Copied, since the source may use its buffer again.
        parts.push(new Uint8Array(chunk.subarray(start)));
        held += chunk.length - start;
      },
      flush: emit,
      flushNow: emit,
    };
  }, { name: "rechunk" });
}
