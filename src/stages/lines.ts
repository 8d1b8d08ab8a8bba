import type { DecodingOptions } from "../decoding_options.ts";
import type { Transformer } from "../web_types.ts";
import { lineOperator } from "./line_splitter.ts";

/** How `lines` works. */
export interface LinesOptions extends DecodingOptions {
  /**
   * The longest line allowed, in UTF-16 code units as `length` counts them, its ending not included.
   * Default: `Infinity`.
   */
  maxLength?: number | undefined;
}

/**
 * Splits bytes or text into lines, at `\n` and at `\r\n`; a `\r` by itself is part of its line. What
 * follows the last line ending is a line too, unless it is empty.
 *
 * Bytes are read as `TextDecoder` does, as UTF-8 unless `encoding` says otherwise: what is not of the encoding becomes
 * U+FFFD or, with `fatal`, fails the stream. A byte order mark at the start is left out, of text too. A stream must be
 * all bytes or all text: a chunk of another type, or of the other kind, fails the stream with a `TypeError`. A line longer than `maxLength` fails it with a
 * `RangeError`, also before its end has been seen, so that no line can fill the memory.
 *
 * A line is cut out of its chunk, and one that is kept keeps the chunk alive; docs/library.md says how to copy it.
 *
 * @param options The longest line allowed, and how bytes become text.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If an option has the wrong type or is unknown.
 * @throws {RangeError} If `maxLength` is neither a non-negative integer nor `Infinity`, or the encoding is unknown.
 *
 * @example Lines of bytes
 * ```ts
 * import { lines } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const chunks = ["one\ntw", "o\r", "\nthree"].map((text) => new TextEncoder().encode(text));
 * const found = ReadableStream.from(chunks)
 *   .pipeThrough(new TransformStream(lines({ maxLength: 1000 })));
 *
 * assert.deepEqual(await Array.fromAsync(found), ["one", "two", "three"]);
 * ```
 */
export function lines(options: LinesOptions = {}): Transformer<string | Uint8Array, string> {
  return lineOperator("lines", "split into lines", options, (controller) => controller);
}
