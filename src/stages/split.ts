import { splitInTurns, type Splitter } from "../kernels/split_in_turns.ts";
import { throwTypeError } from "../errors.ts";
import { isBytes } from "../is_bytes.ts";
import { byteParts, type Parts, textParts } from "../parts.ts";
import { operator } from "../kernels/operator.ts";
import { boolean, integer, oneOf, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";

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
  const plan = readOptions(action, options, {
    maxLength: integer(Infinity, 0, true),
    disposition: oneOf(["discard", "suffix", "prefix"], "discard"),
    keepEmptyLast: boolean(false),
  });

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
          ofText ??= new DelimiterSplitter(textParts, text, plan);
          return splitInTurns(ofText, chunk, controller, turn);
        }
        if (isBytes(chunk) && ofText === undefined) {
          ofBytes ??= new DelimiterSplitter(byteParts, bytes, plan);
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

/** How a splitter splits. */
interface SplitPlan {
  readonly maxLength: number;
  readonly disposition: "discard" | "suffix" | "prefix";
  readonly keepEmptyLast: boolean;
}

/** What takes the parts. */
interface Controller<T> {
  enqueue(part: T): void;
}

/** Splits one stream at a delimiter; holds the part that has not ended yet. */
class DelimiterSplitter<T extends { readonly length: number }>
  implements Splitter<T, Controller<T>> {
  readonly #parts: Parts<T>;
  readonly #delimiter: T;
  readonly #plan: SplitPlan;
  #held: T[] = [];
  #heldLength = 0;
  #partsEmitted = 0;
  /** What is being split, and where its next part begins. */
  #chunk: T | undefined;
  #start = 0;

  constructor(parts: Parts<T>, delimiter: T, plan: SplitPlan) {
    this.#parts = parts;
    this.#delimiter = delimiter;
    this.#plan = plan;
  }

  /** Takes a chunk; `step` gives the parts that end in it, and holds what follows them. */
  take(chunk: T): void {
    this.#chunk = chunk;
    this.#start = 0;
  }

  step(limit: number, controller: Controller<T>): boolean {
    const chunk = this.#chunk!;
    let left = limit;
    if (this.#heldLength > 0) {
      const end = this.#findAcross(chunk);
      if (end === undefined) return this.#end();
      this.#emitHeld(chunk, end, controller);
      this.#start = end + this.#delimiter.length;
      left--;
    }
    let end = this.#parts.find(chunk, this.#delimiter, this.#start);
    while (end !== -1) {
      if (left-- === 0) return true;
      const start = this.#start;
      this.#check(end - start);
      this.#emit(this.#parts.copy(chunk, start, end), controller);
      this.#start = end + this.#delimiter.length;
      end = this.#parts.find(chunk, this.#delimiter, this.#start);
    }
    return this.#end();
  }

  keep(): void {
    const chunk = this.#chunk!;
    this.#chunk = this.#parts.copy(chunk, this.#start, chunk.length);
    this.#start = 0;
  }

  /** Holds what follows the last part. */
  #end(): false {
    const chunk = this.#chunk!;
    this.#chunk = undefined;
    if (this.#start < chunk.length) this.#hold(chunk, this.#start);
    return false;
  }

  /** Enqueues what is held. */
  finish(controller: Controller<T>): void {
    const { disposition, keepEmptyLast } = this.#plan;
    const isPrefixed = disposition === "prefix" && this.#partsEmitted > 0;
    if (this.#heldLength === 0 && !isPrefixed && !keepEmptyLast) return;
    this.#check(this.#heldLength);
    this.#emit(this.#parts.join(this.#held), controller, true);
  }

  /** Where the first delimiter begins, counted from the start of the chunk: below 0 in what is held. */
  #findAcross(chunk: T): number | undefined {
    const need = this.#delimiter.length - 1;
    const seam: T[] = [];
    let length = 0;
    for (let index = this.#held.length - 1; index >= 0 && length < need; index--) {
      const part = this.#held[index]!;
      const start = Math.max(0, part.length - (need - length));
      seam.unshift(this.#parts.view(part, start, part.length));
      length += part.length - start;
    }
    const window = this.#parts.join([...seam, this.#parts.view(chunk, 0, need)]);
    const across = this.#parts.find(window, this.#delimiter, 0);
    if (across !== -1 && across < length) return across - length;
    const within = this.#parts.find(chunk, this.#delimiter, 0);
    return within === -1 ? undefined : within;
  }

  /** Enqueues what is held as far as `end`, and the chunk as far as that. */
  #emitHeld(chunk: T, end: number, controller: Controller<T>): void {
    const length = this.#heldLength + end;
    this.#check(length);
    const whole = this.#parts.join([...this.#held, this.#parts.view(chunk, 0, Math.max(0, end))]);
    this.#held = [];
    this.#heldLength = 0;
    this.#emit(end < 0 ? this.#parts.copy(whole, 0, length) : whole, controller);
  }

  #emit(part: T, controller: Controller<T>, isLast = false): void {
    controller.enqueue(this.#withDelimiter(part, isLast));
    this.#partsEmitted++;
  }

  #withDelimiter(part: T, isLast: boolean): T {
    const { disposition } = this.#plan;
    if (disposition === "suffix" && !isLast) return this.#parts.join([part, this.#delimiter]);
    if (disposition === "prefix" && this.#partsEmitted > 0) {
      return this.#parts.join([this.#delimiter, part]);
    }
    return part;
  }

  #hold(chunk: T, start: number): void {
    this.#held.push(this.#parts.copy(chunk, start, chunk.length));
    this.#heldLength += chunk.length - start;
    // The last of it may turn out to begin a delimiter.
    this.#check(this.#heldLength - (this.#delimiter.length - 1));
  }

  #check(length: number): void {
    const { maxLength } = this.#plan;
    if (length <= maxLength) return;
    throw new RangeError(
      `Cannot split: part ${this.#partsEmitted + 1} is longer than maxLength ${maxLength}`,
    );
  }
}
