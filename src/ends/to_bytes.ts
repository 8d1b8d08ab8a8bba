import { ByteGatherer } from "../byte_gatherer.ts";
import { checkInteger } from "../errors.ts";
import { readGatherCall } from "./gather.ts";
import { gatherUnits } from "./gather_units.ts";
import type { Gather } from "./gather_signatures.ts";
import type { ToBytesOptions } from "./gather_types.ts";

/** How much text is encoded at a time. */
const textLength = 16_384;

/**
 * Runs a job as `pipeline` does, without a sink, and gathers the chunks, which are bytes or text, in one array
 * of bytes. Text becomes UTF-8; half a surrogate pair waits for the other half in the next chunk.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param options Last, and optional: `maxBytes`, the most bytes allowed, more fail with a `RangeError` and cancel
 * the source (default: `Infinity`); those of every run, such as `signal` and `runName`.
 * @returns The bytes, in memory of their own.
 * @throws {TypeError} If source, a stage or an option is of the wrong kind, a stream is locked, or a chunk is
 * neither text nor bytes or not of the kind of those before it.
 * @throws {RangeError} If there are more bytes than `maxBytes`, or that is out of range.
 * @throws Whatever the source or a stage fails with, and the signal's reason.
 *
 * @example A file that fits
 * ```ts
 * import { toBytes } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const file = new Blob([Uint8Array.of(1, 2), Uint8Array.of(3)]);
 * assert.deepEqual(await toBytes(file, { maxBytes: 1_000_000 }), Uint8Array.of(1, 2, 3));
 * ```
 */
export const toBytes: Gather<"toBytes"> = runToBytes as Gather<"toBytes">;

async function runToBytes(...args: unknown[]): Promise<Uint8Array<ArrayBuffer>> {
  const action = "run toBytes";
  const call = readGatherCall<ToBytesOptions>(runToBytes, "toBytes", ["maxBytes"], args);
  const { maxBytes = Infinity } = call.options;
  checkInteger(action, "maxBytes", maxBytes, 0, true);
  const encoder = new TextEncoder();
  const bytes = new ByteGatherer();
  let text = "";
  const push = (part: Uint8Array): void => {
    if (bytes.length + part.length > maxBytes) {
      throw new RangeError(`Cannot ${action}: there are more than ${maxBytes} bytes`);
    }
    bytes.add(part);
  };
  await gatherUnits(call, (chunk) => {
    text += chunk;
    // Encoded in blocks, and where there might be too much.
    if (text.length < textLength && bytes.length + 3 * text.length <= maxBytes) return;
    const half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : "";
    push(encoder.encode(text.slice(0, text.length - half.length)));
    text = half;
  }, push);
  push(encoder.encode(text));
  return bytes.take();
}
