import { stripByteOrderMark } from "../strip_byte_order_mark.ts";
import { findJsonFault } from "./find_json_fault.ts";
import { gatherText } from "./gather_text.ts";
import type { Gather } from "./gather_signatures.ts";

/**
 * Runs a job as `pipeline` does, without a sink, and parses the text of its chunks as JSON, as one value. For
 * a value on each line, use the stage `parseNdjson`.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param options Last, and optional: `maxLength`, the longest text allowed in UTF-16 code units, a longer one
 * fails with a `RangeError` and cancels the source (default: `Infinity`); those of every run,
 * such as `signal` and `runName`.
 * @returns The value.
 * @throws {TypeError} If source, a stage or an option is of the wrong kind, a stream is locked, or a chunk is
 * neither text nor bytes or not of the kind of those before it.
 * @throws {RangeError} If the text is longer than `maxLength`, or that is out of range.
 * @throws {SyntaxError} If the text is not JSON: it says at which line and column; the parser's own error is its cause.
 * @throws Whatever the source or a stage fails with, and the signal's reason.
 *
 * @example A body of limited length
 * ```ts
 * import { toJson } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const response = new Response('{ "name": "Ada" }');
 * assert.deepEqual(await toJson(response, { maxLength: 1000 }), { name: "Ada" });
 * ```
 */
export const toJson: Gather<"toJson"> = runToJson as Gather<"toJson">;

async function runToJson(...args: unknown[]): Promise<unknown> {
  // Text may begin with a byte order mark, as bytes may; bytes have lost it by now.
  const text = stripByteOrderMark(await gatherText(runToJson, "toJson", args));
  try {
    return JSON.parse(text);
  } catch (cause) {
    const before = text.slice(0, findJsonFault(text)).split("\n");
    const where = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new SyntaxError(`Cannot run toJson: the text is not JSON at ${where}: ${message}`, {
      cause,
    });
  }
}
