import { operator } from "../kernels/operator.ts";
import { splitInTurns } from "../kernels/split_in_turns.ts";
import { readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { type SseEvent, type SseListener, sseReaders, SseSplitter } from "./sse_splitter.ts";

/** How `parseSse` works. */
export interface ParseSseOptions extends SseListener {
  /**
   * The longest event allowed, in UTF-16 code units, its comments not counted but for the one that has not ended.
   * Default: 16,777,216. `Infinity` is no limit.
   */
  maxEventLength?: number | undefined;
}

/**
 * Parses server-sent events as the HTML standard does: text or bytes in, an object for each event out.
 *
 * Lines end at `\n`, `\r\n` or `\r`, wherever chunks are cut. A byte order mark at the start, comments, unknown fields
 * and events without data are left out, an id with U+0000 is ignored, and what the stream does not end with a blank
 * line is no event. An event that is too long fails the stream with a `RangeError`, also before its end has been seen.
 *
 * @param options The longest event allowed, and what is called with comments, ids and times to wait.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If an option has the wrong type, or is unknown.
 * @throws {RangeError} If `maxEventLength` is neither a positive integer nor `Infinity`.
 *
 * @example Events
 * ```ts
 * import { parseSse } from "@hosepipe/streams/formats";
 * import assert from "node:assert/strict";
 *
 * const body = new Response(": hello\n\nid: 7\ndata: one\ndata: two\n\nevent: end\ndata\n\n").body!;
 * const events = body.pipeThrough(new TransformStream(parseSse()));
 *
 * assert.deepEqual(await Array.fromAsync(events), [
 *   { type: "message", data: "one\ntwo", lastEventId: "7" },
 *   { type: "end", data: "", lastEventId: "7" },
 * ]);
 * ```
 */
export function parseSse(
  options: ParseSseOptions = {},
): Transformer<string | Uint8Array, SseEvent> {
  const { maxEventLength, ...listener } = readOptions("create parseSse", options, sseReaders());
  return operator((controller, { turn }) => {
    const splitter = new SseSplitter(maxEventLength, listener);
    return { transform: (chunk) => splitInTurns(splitter, chunk, controller, turn) };
  }, { name: "parseSse" });
}
