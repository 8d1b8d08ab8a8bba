import { checkOptions, describeValue, throwTypeError } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { Transformer } from "../web_types.ts";

/** What an event is written of; a string stands for its data. An `SseEvent` is one. */
export interface SseMessage {
  /** The type, without a line break. Default: `"message"`. */
  readonly type?: string | undefined;
  /** The text; `\r\n` and `\r` within it are read as `\n`. Default: none, which is no event to who listens. */
  readonly data?: string | undefined;
  /**
   * The id that a reader sends when it connects again, without a line break or U+0000; `""` makes it forget the last.
   * Default: that of the event before.
   */
  readonly lastEventId?: string | undefined;
  /** How long a reader waits before it connects again, in milliseconds. Default: as it was. */
  readonly retryMs?: number | undefined;
  /** What readers leave out. Default: none. */
  readonly comment?: string | undefined;
}

const action = "format server-sent events";
const lineEnd = /\r\n|\r|\n/;

function checkLine(name: string, value: unknown, refused: RegExp): asserts value is string {
  if (typeof value !== "string") throwTypeError(action, name, "a string", value);
  if (refused.test(value)) {
    throw new RangeError(
      `Cannot ${action}: ${name} must have no line break${
        refused.source.includes("0") ? " and no U+0000" : ""
      }, got ${describeValue(value)}`,
    );
  }
}

function linesOf(name: string, value: unknown): string {
  if (typeof value !== "string") throwTypeError(action, name, "a string", value);
  let text = "";
  for (const line of value.split(lineEnd)) text += `${name}: ${line}\n`;
  return text;
}

/** Writes an event: no value of a field can end it, or begin another. */
export function sseText(message: SseMessage | string): string {
  if (typeof message === "string") return `${linesOf("data", message)}\n`;
  if (message === null || typeof message !== "object") {
    throwTypeError(action, "a chunk", "a string or an object", message);
  }
  checkOptions(action, message, ["type", "data", "lastEventId", "retryMs", "comment"]);
  const { type, data, lastEventId, retryMs, comment } = message;
  let text = comment === undefined ? "" : linesOf("", comment);
  if (type !== undefined) {
    checkLine("type", type, /[\r\n]/);
    if (type !== "message" && type !== "") text += `event: ${type}\n`;
  }
  if (lastEventId !== undefined) {
    checkLine("lastEventId", lastEventId, /[\r\n\0]/);
    text += `id: ${lastEventId}\n`;
  }
  if (retryMs !== undefined) {
    if (!Number.isSafeInteger(retryMs) || retryMs < 0) {
      throw new RangeError(
        `Cannot ${action}: retryMs must be a non-negative integer, got ${describeValue(retryMs)}`,
      );
    }
    text += `retry: ${retryMs}\n`;
  }
  if (data !== undefined) text += linesOf("data", data);
  return `${text}\n`;
}

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
