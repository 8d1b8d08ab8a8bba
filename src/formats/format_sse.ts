import { operator } from "../kernels/operator.ts";
import type { Transformer } from "../web_types.ts";
import { type SseMessage, sseText } from "./sse_text.ts";

/**
 * Writes each chunk as a server-sent event: a string as its data, an object as its fields. No text can end a field and
 * begin another: a type or an id with a line break fails the stream with a `RangeError`, data is written line by line.
 *
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. A chunk or a field of another type, or an
 * unknown field, fails the stream with a `TypeError`.
 *
 * @example Events
 * ```ts
 * import { formatSse } from "@hosepipe/streams/formats";
 * import assert from "node:assert/strict";
 *
 * const text = ReadableStream.from(["a\nb", { type: "end", lastEventId: "2", data: "" }])
 *   .pipeThrough(new TransformStream(formatSse()));
 *
 * assert.deepEqual(await Array.fromAsync(text), [
 *   "data: a\ndata: b\n\n",
 *   "event: end\nid: 2\ndata: \n\n",
 * ]);
 * ```
 */
export function formatSse(): Transformer<SseMessage | string, string> {
  return operator((controller) => ({
    transform: (message) => controller.enqueue(sseText(message)),
  }), { name: "formatSse" });
}
