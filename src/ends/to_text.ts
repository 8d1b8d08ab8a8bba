import { gatherText } from "./gather_text.ts";
import type { Gather } from "./gather_signatures.ts";

/**
 * Runs a job as `pipeline` does, without a sink, and gathers the chunks, which are text or bytes, in one text.
 * Bytes are read as UTF-8 as `Response.text()` does: a byte order mark at the start is left out, and what is
 * not UTF-8 becomes U+FFFD.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param options Last, and optional: `maxLength`, the longest text allowed in UTF-16 code units, a longer one
 * fails with a `RangeError` and cancels the source (default: `Infinity`); those of every run,
 * such as `signal` and `runName`.
 * @returns The text.
 * @throws {TypeError} If source, a stage or an option is of the wrong kind, a stream is locked, or a chunk is
 * neither text nor bytes or not of the kind of those before it.
 * @throws {RangeError} If the text is longer than `maxLength`, or that is out of range.
 * @throws Whatever the source or a stage fails with, and the signal's reason.
 *
 * @example A compressed text
 * ```ts
 * import { toText } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const zipped = new Blob(["hello"]).stream().pipeThrough(new CompressionStream("gzip"));
 * assert.deepEqual(await toText(zipped, new DecompressionStream("gzip"), { maxLength: 100 }), "hello");
 * ```
 */
export const toText: Gather<"toText"> = runToText as Gather<"toText">;

function runToText(...args: unknown[]): Promise<string> {
  return gatherText(runToText, "toText", args);
}
