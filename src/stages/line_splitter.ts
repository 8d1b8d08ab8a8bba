import { ByteDecoder, type Decoding } from "../byte_decoder.ts";
import { throwTypeError } from "../errors.ts";
import { isBytes, joinBytes } from "../is_bytes.ts";
import type { Splitter } from "../kernels/split_in_turns.ts";
import { stripByteOrderMark } from "../strip_byte_order_mark.ts";

/** What takes the lines. */
interface Controller {
  enqueue(line: string): void;
}

const lineFeed = 10;
const carriageReturn = 13;
/** The first byte of a byte order mark. */
const byteOrderMark = 0xef;
// The most bytes of UTF-8 that one UTF-16 code unit can take, and room for a byte order mark and a `\r`.
const bytesPerUnit = 3;
const uncountedBytes = 4;

/** Counts the code units that bytes will take at least: each byte that continues none begins one. */
function countUnits(bytes: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index++) {
    if ((bytes[index]! & 0xc0) !== 0x80) count++;
  }
  return count;
}

/** How much of a chunk of bytes is decoded at a time, at least. */
const decodedBytes = 256 * 1024;

/** Splits one stream's bytes or text into lines; holds the line that has not ended yet. */
export class LineSplitter implements Splitter<string | Uint8Array, Controller> {
  readonly #maxLength: number;
  readonly #action: string;
  readonly #decoder: ByteDecoder;
  #kind: "bytes" | "text" | undefined;
  #isAtStart = true;
  #linesEmitted = 0;
  #heldText: string[] = [];
  #heldBytes: Uint8Array[] = [];
  /** The length of what is held, in bytes or code units. */
  #heldLength = 0;
  #countedParts = 0;
  #countedUnits = 0;
  /** Text in which lines end, and where the next begins. */
  #text = "";
  #textAt = 0;
  /** The chunk of bytes, how far it is decoded, and where its last line ends. */
  #bytes: Uint8Array | undefined;
  #bytesAt = 0;
  #bytesEnd = 0;

  /** `maxLength` is in UTF-16 code units; `action` is for errors. */
  constructor(maxLength: number, action = "split into lines", decoding?: Decoding) {
    this.#maxLength = maxLength;
    this.#decoder = new ByteDecoder(decoding);
    this.#action = action;
  }

  /** Takes a chunk; `step` gives the lines that end in it, and holds what follows them. */
  take(chunk: string | Uint8Array): void {
    if (typeof chunk === "string") {
      if (this.#kind !== "text") this.#setKind("text");
      this.#takeString(this.#strip(chunk));
    } else if (isBytes(chunk)) {
      if (this.#kind !== "bytes") this.#setKind("bytes");
      if (this.#decoder.isUtf8) this.#takeChunk(chunk);
      else this.#takeString(this.#strip(this.#decoder.next(chunk)));
    } else {
      throwTypeError(this.#action, "a chunk", "a Uint8Array or a string", chunk);
    }
  }

  step(limit: number, controller: Controller): boolean {
    let left = limit;
    while (this.#textAt < this.#text.length || this.#decodeMore()) {
      const count = this.#emit(left, controller);
      if (count === left) return true;
      left -= count;
      // What follows the last line of text is held.
      if (this.#bytes === undefined) break;
    }
    this.#holdRest();
    return false;
  }

  keep(): void {
    if (this.#bytes === undefined) return;
    this.#bytes = new Uint8Array(this.#bytes.subarray(this.#bytesAt));
    this.#bytesEnd -= this.#bytesAt;
    this.#bytesAt = 0;
  }

  /** Enqueues what is held. */
  finish(controller: Controller): void {
    const isText = this.#kind === "text" || !this.#decoder.isUtf8;
    const rest = isText
      ? this.#takeText() + this.#strip(this.#decoder.end())
      : this.#decode(this.#takeBytes());
    this.#throwIfWrong();
    if (rest === "") return;
    if (rest.length > this.#maxLength) this.#throwTooLong(0);
    controller.enqueue(rest);
  }

  #setKind(kind: "bytes" | "text"): void {
    if (this.#kind !== undefined) {
      throw new TypeError(
        `Cannot ${this.#action}: chunks must be all bytes or all text, got ${kind} after ${this.#kind}`,
      );
    }
    this.#kind = kind;
  }

  #takeString(chunk: string): void {
    const joins = this.#heldLength > 0 && chunk.includes("\n");
    this.#setText(joins ? this.#takeText() + chunk : chunk);
  }

  #takeChunk(chunk: Uint8Array): void {
    let start = 0;
    if (this.#heldLength > 0) {
      start = chunk.indexOf(lineFeed) + 1;
      if (start > 0) {
        this.#pushBytes(chunk.subarray(0, start));
        this.#setText(this.#decode(this.#takeBytes()));
      }
    }
    this.#bytes = chunk;
    this.#bytesAt = start;
    this.#bytesEnd = chunk.lastIndexOf(lineFeed) + 1;
  }

  #setText(text: string): void {
    this.#text = text;
    this.#textAt = 0;
  }

  /** Makes more of the chunk's lines text; tells whether there were any. */
  #decodeMore(): boolean {
    this.#throwIfWrong();
    const bytes = this.#bytes;
    const start = this.#bytesAt;
    let end = this.#bytesEnd;
    if (bytes === undefined || start >= end) return false;
    // What is huge is decoded in parts, each of whole lines.
    if (end - start > decodedBytes) end = bytes.indexOf(lineFeed, start + decodedBytes - 1) + 1;
    this.#setText(this.#decode(bytes.subarray(start, end)));
    this.#bytesAt = end;
    return true;
  }

  /** Holds what follows the last line of the chunk. */
  #holdRest(): void {
    const text = this.#text;
    const bytes = this.#bytes;
    const start = this.#textAt;
    this.#bytes = undefined;
    this.#setText("");
    if (bytes === undefined) {
      if (start < text.length) this.#holdText(start === 0 ? text : text.slice(start));
      return;
    }
    const end = this.#bytesEnd;
    // Copied, since the source may use its buffer again.
    if (end < bytes.length) this.#holdBytes(new Uint8Array(bytes.subarray(end)));
  }

  /** Enqueues up to `limit` of the lines that end in the text; answers how many. */
  #emit(limit: number, controller: Controller): number {
    const text = this.#text;
    const maxLength = this.#maxLength;
    let count = 0;
    let start = this.#textAt;
    let feed = text.indexOf("\n", start);
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

  #holdText(text: string): void {
    this.#heldText.push(text);
    this.#heldLength += text.length;
    // A `\r` at the end may turn out to be half a line ending.
    if (this.#heldLength - (text.endsWith("\r") ? 1 : 0) > this.#maxLength) this.#throwTooLong(0);
  }

  #takeText(): string {
    const text = this.#heldText.length === 1 ? this.#heldText[0]! : this.#heldText.join("");
    this.#heldText = [];
    this.#heldLength = 0;
    return text;
  }

  #holdBytes(bytes: Uint8Array): void {
    this.#pushBytes(bytes);
    if (this.#heldLength <= this.#maxLength) return;
    for (; this.#countedParts < this.#heldBytes.length; this.#countedParts++) {
      this.#countedUnits += countUnits(this.#heldBytes[this.#countedParts]!);
    }
    const spare = (bytes.at(-1) === carriageReturn ? 1 : 0) +
      (this.#isAtStart && this.#heldBytes[0]![0] === byteOrderMark ? 1 : 0);
    if (
      this.#countedUnits - spare > this.#maxLength ||
      this.#heldLength > this.#maxLength * bytesPerUnit + uncountedBytes
    ) this.#throwTooLong(0);
  }

  #pushBytes(bytes: Uint8Array): void {
    this.#heldBytes.push(bytes);
    this.#heldLength += bytes.length;
  }

  #takeBytes(): Uint8Array {
    const parts = this.#heldBytes;
    const bytes = parts.length === 1 ? parts[0]! : joinBytes(parts, this.#heldLength);
    this.#heldBytes = [];
    this.#heldLength = this.#countedParts = this.#countedUnits = 0;
    return bytes;
  }

  /** The text of whole lines, up to one that has what is no text. */
  #decode(bytes: Uint8Array): string {
    const text = this.#strip(this.#decoder.whole(bytes));
    return this.#decoder.problem === undefined ? text : text.slice(0, text.lastIndexOf("\n") + 1);
  }

  #strip(text: string): string {
    if (!this.#isAtStart || text === "") return text;
    this.#isAtStart = false;
    return stripByteOrderMark(text);
  }

  #throwIfWrong(): void {
    const { problem } = this.#decoder;
    if (problem === undefined) return;
    throw new SyntaxError(`Cannot ${this.#action}: line ${this.#linesEmitted + 1}: ${problem}`);
  }

  #throwTooLong(linesBefore: number): never {
    const lineNumber = this.#linesEmitted + linesBefore + 1;
    throw new RangeError(
      `Cannot ${this.#action}: line ${lineNumber} is longer than maxLength ${this.#maxLength}`,
    );
  }
}
