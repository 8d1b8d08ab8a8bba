import type { DecodingOptions } from "../decoding_options.ts";
import { stripByteOrderMark } from "../strip_byte_order_mark.ts";
import type { Transformer } from "../web_types.ts";
import { lineOperator } from "./line_splitter.ts";

/** How `parseNdjson` works. */
export interface ParseNdjsonOptions extends DecodingOptions {
  /**
   * The longest line allowed, in UTF-16 code units as `length` counts them, its ending not included.
   * Default: `Infinity`.
   */
  maxLength?: number | undefined;
}

/** How much of a line an error shows, in code units. */
const shown = 80;

/** Parses one stream's lines. */
class NdjsonParser {
  readonly #controller: TransformStreamDefaultController;
  #lineNumber = 0;

  constructor(controller: TransformStreamDefaultController) {
    this.#controller = controller;
  }

  /** Takes a line. */
  enqueue(line: string): void {
    this.#lineNumber++;
    // Text may begin with a byte order mark, as bytes may; bytes have lost it by now.
    const text = this.#lineNumber === 1 ? stripByteOrderMark(line) : line;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      if (/^[ \t\r]*$/.test(text)) return;
      const start = JSON.stringify(text.slice(0, shown)) + (text.length > shown ? "…" : "");
      throw new SyntaxError(
        `Cannot parse NDJSON: line ${this.#lineNumber} is not JSON: ${start}`,
        { cause },
      );
    }
    this.#controller.enqueue(value);
  }
}

/**
 * Parses lines of JSON, as in NDJSON and JSON Lines: text or bytes in, a value for each line out. Lines end
 * at `\n` or `\r\n`, as `lines` splits them; empty ones, and those of blanks only, are skipped.
 *
 * A line that is not JSON fails the stream with a `SyntaxError` that says which it is and shows its first 80
 * characters, with the parser's own error as its `cause`; one longer than `maxLength` with a `RangeError`,
 * also before its end has been seen.
 *
 * @typeParam T The type that the values are taken to have; nothing checks it. Default: `unknown`.
 * @param options The longest line allowed, and how bytes become text.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If an option has the wrong type or is unknown.
 * @throws {RangeError} If `maxLength` is neither a non-negative integer nor `Infinity`, or the encoding is unknown.
 *
 * @example Rows
 * ```ts
 * import { parseNdjson } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const rows = new Response('{"id":1}\n\n{"id":2}').body!
 *   .pipeThrough(new TransformStream(parseNdjson<{ id: number }>({ maxLength: 1000 })));
 *
 * assert.deepEqual(await Array.fromAsync(rows), [{ id: 1 }, { id: 2 }]);
 * ```
 */
export function parseNdjson<T = unknown>(
  options: ParseNdjsonOptions = {},
): Transformer<string | Uint8Array, T> {
  return lineOperator(
    "parseNdjson",
    "parse NDJSON",
    options,
    (controller: TransformStreamDefaultController<T>) => new NdjsonParser(controller),
  );
}
