import { ByteGatherer } from "../byte_gatherer.ts";
import { checkInteger, throwTypeError } from "../errors.ts";
import { isBytes } from "../is_bytes.ts";
import { delay, readOptions } from "../read_options.ts";
import type { Bytes, Transformer } from "../web_types.ts";
import { operator } from "../kernels/operator.ts";
import { HoldTimer } from "./hold_timer.ts";

/** How long `rechunk` holds bytes. */
export interface RechunkOptions {
  /**
   * Milliseconds after which bytes that fill no chunk are passed on, from 0 to 2,147,483,647; 0 joins what comes in one
   * turn of the event loop. Default: they are held until a chunk is full or the stream ends.
   */
  maxWaitMs?: number | undefined;
}

/**
 * Cuts bytes into chunks of one length; the last may be shorter, and what has waited `maxWaitMs`; none is empty.
 *
 * A chunk that already has that length is passed on as it is; any other has memory of its own.
 *
 * @param byteLength How many bytes a chunk has.
 * @param options How long bytes are held.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. A chunk that is not a
 * `Uint8Array` fails the stream with a `TypeError`.
 * @throws {TypeError} If a number is not one, or an option is unknown.
 * @throws {RangeError} If `byteLength` is not a positive integer, or `maxWaitMs` not a delay a timer knows.
 *
 * @example Parts of an upload
 * ```ts
 * import { rechunk } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const bytes = [Uint8Array.of(1, 2, 3), Uint8Array.of(4), Uint8Array.of(5)];
 * const parts = ReadableStream.from(bytes).pipeThrough(new TransformStream(rechunk(2)));
 *
 * assert.deepEqual((await Array.fromAsync(parts)).map((part) => [...part]), [[1, 2], [3, 4], [5]]);
 * ```
 */
export function rechunk(
  byteLength: number,
  options: RechunkOptions = {},
): Transformer<Uint8Array, Bytes> {
  checkInteger("create rechunk", "byteLength", byteLength, 1);
  const { maxWaitMs } = readOptions("create rechunk", options, { maxWaitMs: delay() });
  return operator((controller) => {
    const bytes = new ByteGatherer(byteLength);
    const emit = (): void => {
      timer.stop();
      if (bytes.length > 0) controller.enqueue(bytes.take());
    };
    const timer = new HoldTimer(controller, maxWaitMs, emit);
    return {
      transform(chunk) {
        if (!isBytes(chunk)) {
          timer.stop();
          throwTypeError("rechunk", "a chunk", "a Uint8Array", chunk);
        }
        if (bytes.length === 0 && chunk.length === byteLength) {
          return controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
        }
        let start = 0;
        while (bytes.length + chunk.length - start >= byteLength) {
          const end = start + byteLength - bytes.length;
          bytes.add(chunk.subarray(start, end));
          controller.enqueue(bytes.take());
          start = end;
        }
        if (start < chunk.length) bytes.add(chunk.subarray(start));
        timer.setWhile(bytes.length > 0);
      },
      flush: emit,
      flushNow: emit,
      cancel: () => timer.stop(),
    };
  }, { name: "rechunk" });
}
