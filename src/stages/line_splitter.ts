import type { Decoding } from "../byte_decoder.ts";
import { checkDecoding, decodingReaders } from "../check_decoding.ts";
import type { DecodingOptions } from "../decoding_options.ts";
import { operator } from "../kernels/operator.ts";
import { splitInTurns, type Splitter } from "../kernels/split_in_turns.ts";
import { integer, readOptions } from "../read_options.ts";
import { TextInput } from "../text_input.ts";
import type { Transformer } from "../web_types.ts";

interface Controller {
  enqueue(line: string): void;
}

const carriageReturn = 13;

/** Splits one stream's text, or bytes that are text, into lines. */
class LineSplitter implements Splitter<string | Uint8Array, Controller> {
  readonly #maxLength: number;
  readonly #action: string;
  readonly #input: TextInput;
  #linesEmitted = 0;
  /** Parts of the line that has not ended. */
  #held: string[] = [];
  #heldLength = 0;
  /** What is being split, and where the next line begins in it. */
  #text = "";
  #textAt = 0;

  /** `action` is for errors. */
  constructor(maxLength: number, action: string, decoding: Decoding) {
    this.#maxLength = maxLength;
    this.#action = action;
    const place = () => `line ${this.#linesEmitted + 1}: `;
    this.#input = new TextInput(action, { decoding, place });
  }

  /** Takes a chunk, to be split by `step`. */
  take(chunk: string | Uint8Array): void {
    this.#input.take(chunk);
  }

  /** Passes on at most `limit` lines; whether there may be more of this chunk. */
  step(limit: number, controller: Controller): boolean {
    let left = limit;
    while (this.#textAt < this.#text.length || this.#readMore()) {
      left -= this.#emit(left, controller);
      if (left === 0) return true;
      this.#hold();
    }
    return false;
  }

  /** Keeps the chunk although its memory may be used again. */
  keep(): void {
    this.#input.keep();
  }

  /** Passes on the line that did not end. */
  finish(controller: Controller): void {
    const rest = this.#takeHeld() + this.#input.finish();
    if (rest === "") return;
    if (rest.length > this.#maxLength) this.#throwTooLong(0);
    controller.enqueue(rest);
  }

  #readMore(): boolean {
    this.#text = this.#input.read();
    this.#textAt = 0;
    return this.#text !== "";
  }

  #emit(limit: number, controller: Controller): number {
    const text = this.#text;
    const maxLength = this.#maxLength;
    let count = 0;
    let start = this.#textAt;
    let feed = text.indexOf("\n", start);
    if (this.#heldLength > 0 && feed !== -1) {
      const line = this.#takeHeld() + text.slice(start, feed);
      const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
      if (whole.length > maxLength) this.#throwTooLong(0);
      controller.enqueue(whole);
      count = 1;
      start = feed + 1;
      feed = limit === 1 ? -1 : text.indexOf("\n", start);
    }
    while (feed !== -1) {
      const end = feed > start && text.charCodeAt(feed - 1) === carriageReturn ? feed - 1 : feed;
      if (end - start > maxLength) this.#throwTooLong(count);
      controller.enqueue(text.slice(start, end));
      count++;
      start = feed + 1;
      if (count === limit) break;
      feed = text.indexOf("\n", start);
    }
    this.#textAt = start;
    this.#linesEmitted += count;
    return count;
  }

  /** Keeps what is after the last line feed. */
  #hold(): void {
    const rest = this.#text.slice(this.#textAt);
    this.#text = "";
    this.#textAt = 0;
    if (rest === "") return;
    this.#held.push(rest);
    this.#heldLength += rest.length;
    // The return may belong to the ending.
    if (this.#heldLength - (rest.endsWith("\r") ? 1 : 0) > this.#maxLength) this.#throwTooLong(0);
  }

  #takeHeld(): string {
    const text = this.#held.length === 1 ? this.#held[0]! : this.#held.join("");
    this.#held = [];
    this.#heldLength = 0;
    return text;
  }

  #throwTooLong(linesBefore: number): never {
    const lineNumber = this.#linesEmitted + linesBefore + 1;
    throw new RangeError(
      `Cannot ${this.#action}: line ${lineNumber} is longer than maxLength ${this.#maxLength}`,
    );
  }
}

/** The operator whose lines go to what `takerOf` makes of a stream's controller. */
export function lineOperator<O>(
  name: string,
  action: string,
  options: DecodingOptions & { maxLength?: number | undefined },
  takerOf: (controller: TransformStreamDefaultController<O>) => Controller,
): Transformer<string | Uint8Array, O> {
  const readers = { maxLength: integer(Infinity, 0, true), ...decodingReaders() };
  const { maxLength, ...rest } = readOptions(`create ${name}`, options, readers);
  const decoding = checkDecoding(`create ${name}`, rest);
  return operator((controller, { turn }) => {
    const splitter = new LineSplitter(maxLength, action, decoding);
    const taker = takerOf(controller);
    return {
      transform: (chunk) => splitInTurns(splitter, chunk, taker, turn),
      flush: () => splitter.finish(taker),
    };
  }, { name, remembers: "record" });
}
