import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { isBytes, joinBytes } from "../is_bytes.ts";
import { operator } from "../kernels/operator.ts";
import { splitInTurns } from "../kernels/split_in_turns.ts";
import type { Transformer } from "../web_types.ts";
import { DelimiterSplitter, type Parts } from "./delimiter_splitter.ts";

/** How `split` works. */
export interface SplitOptions {
  /**
   * The longest part allowed: in bytes, or of text in UTF-16 code units; the delimiter not included.
   * Default: `Infinity`.
   */
  maxLength?: number | undefined;
  /**
   * What becomes of a delimiter: it is left out (`"discard"`), ends the part before it (`"suffix"`) or begins the part
   * after it (`"prefix"`). Default: `"discard"`.
   */
  disposition?: "discard" | "suffix" | "prefix" | undefined;
  /**
   * Whether what follows the last delimiter is a part though it is empty, as in `text.split(delimiter)`; not of a stream
   * without chunks. Default: `false`.
   */
  keepEmptyLast?: boolean | undefined;
}

/**
 * Splits text or bytes at a delimiter, which is left out unless `disposition` keeps it: the same kind comes out that
 * goes in. What follows the last delimiter is a part too, unless it is empty. A delimiter that is text stands for its UTF-8 among
 * bytes; one that is bytes splits bytes only.
 *
 * A chunk of another type or of the other kind than those before fails the stream with a `TypeError`; a part
 * longer than `maxLength` with a `RangeError`, also before its end has been seen.
 *
 * A part is cut out of its chunk, and one that is kept keeps the chunk alive; docs/library.md says how to copy it.
 *
 * @typeParam T The type of the chunks: `Uint8Array` or `string`.
 * @param delimiter Where to split; not empty.
 * @param options The longest part allowed, and what becomes of delimiters.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `delimiter` is neither text nor bytes, `maxLength` not a number, `disposition` not one of the
 * three, `keepEmptyLast` not a boolean, or an option unknown.
 * @throws {RangeError} If `delimiter` is empty, or `maxLength` neither a non-negative integer nor `Infinity`.
 *
 * @example Records of text
 * ```ts
 * import { split } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const parts = ReadableStream.from(["one-", "-two--th", "ree"])
 *   .pipeThrough(new TransformStream(split<string>("--")));
 *
 * assert.deepEqual(await Array.fromAsync(parts), ["one", "two", "three"]);
 * ```
 *
 * @example Records of bytes
 * ```ts
 * import { split } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const parts = new Response("one\0two\0").body!
 *   .pipeThrough(new TransformStream(split(Uint8Array.of(0))));
 *
 * const texts = (await Array.fromAsync(parts)).map((part) => new TextDecoder().decode(part));
 * assert.deepEqual(texts, ["one", "two"]);
 * ```
 *
 * @example Records with what ends them
 * ```ts
 * import { split, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const parts = split<string>(";", { disposition: "suffix" });
 * assert.deepEqual(await toArray(["one;tw", "o;three"], parts), ["one;", "two;", "three"]);
 * ```
 */
export function split<T extends Uint8Array | string>(
  delimiter: string | Uint8Array,
  options: SplitOptions = {},
): Transformer<T, T> {
  const action = "create split";
  if (typeof delimiter !== "string" && !isBytes(delimiter)) {
    throwTypeError(action, "delimiter", "a string or a Uint8Array", delimiter);
  }
  if (delimiter.length === 0) throw new RangeError(`Cannot ${action}: delimiter is empty`);
  checkOptions(action, options, ["maxLength", "disposition", "keepEmptyLast"]);
  const { maxLength = Infinity, disposition = "discard", keepEmptyLast = false } = options;
  checkInteger(action, "maxLength", maxLength, 0, true);
  if (!["discard", "suffix", "prefix"].includes(disposition)) {
    throwTypeError(action, "disposition", '"discard", "suffix" or "prefix"', disposition);
  }
  if (typeof keepEmptyLast !== "boolean") {
    throwTypeError(action, "keepEmptyLast", "a boolean", keepEmptyLast);
  }
  const plan = { maxLength, disposition, keepEmptyLast };

  const text = typeof delimiter === "string" ? delimiter : undefined;
  const bytes = typeof delimiter === "string"
    ? new TextEncoder().encode(delimiter)
    : new Uint8Array(delimiter);
  return operator((controller: TransformStreamDefaultController, { turn }) => {
    let ofText: DelimiterSplitter<string> | undefined;
    let ofBytes: DelimiterSplitter<Uint8Array> | undefined;
    return {
      transform(chunk: T) {
        if (typeof chunk === "string" && ofBytes === undefined) {
          if (text === undefined) {
            throwTypeError("split", "a chunk", "bytes, as the delimiter is", chunk);
          }
          ofText ??= new DelimiterSplitter(new TextParts(), text, plan);
          return splitInTurns(ofText, chunk, controller, turn);
        }
        if (isBytes(chunk) && ofText === undefined) {
          ofBytes ??= new DelimiterSplitter(new ByteParts(), bytes, plan);
          return splitInTurns(ofBytes, chunk, controller, turn);
        }
        const need = ofText ? "a string" : ofBytes ? "a Uint8Array" : "a string or a Uint8Array";
        throwTypeError("split", "a chunk", need, chunk);
      },
      flush() {
        ofText?.finish(controller);
        ofBytes?.finish(controller);
      },
    };
  }, { name: "split", remembers: "record" });
}

/** What a splitter must know of text. */
class TextParts implements Parts<string> {
  find(whole: string, delimiter: string, start: number): number {
    return whole.indexOf(delimiter, start);
  }

  view(whole: string, start: number, end: number): string {
    return whole.slice(start, end);
  }

  copy(whole: string, start: number, end: number): string {
    return whole.slice(start, end);
  }

  join(parts: readonly string[]): string {
    return parts.join("");
  }
}

/** What a splitter must know of bytes. */
class ByteParts implements Parts<Uint8Array> {
  find(whole: Uint8Array, delimiter: Uint8Array, start: number): number {
    const last = whole.length - delimiter.length;
    let index = whole.indexOf(delimiter[0]!, start);
    while (index !== -1 && index <= last) {
      let matched = 1;
      while (matched < delimiter.length && whole[index + matched] === delimiter[matched]) matched++;
      if (matched === delimiter.length) return index;
      index = whole.indexOf(delimiter[0]!, index + 1);
    }
    return -1;
  }

  view(whole: Uint8Array, start: number, end: number): Uint8Array {
    return whole.subarray(start, end);
  }

  copy(whole: Uint8Array, start: number, end: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(whole.subarray(start, end));
  }

  join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    return joinBytes(parts, parts.reduce((sum, { length }) => sum + length, 0));
  }
}
