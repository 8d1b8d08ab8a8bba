import { throwTypeError } from "../errors.ts";
import { isBytes, joinBytes } from "../is_bytes.ts";
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

/** Splits one stream's bytes or text into lines; holds the line that has not ended yet. */
export class LineSplitter {
  readonly #maxLength: number;
  readonly #action: string;
  // Whole lines are decoded at once: decoding in `stream` mode is up to eight times slower.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #kind: "bytes" | "text" | undefined;
  #isAtStart = true;
  #linesEmitted = 0;
  #heldText: string[] = [];
  #heldBytes: Uint8Array[] = [];
  /** The length of what is held, in bytes or code units. */
  #heldLength = 0;
  #countedParts = 0;
  #countedUnits = 0;

  /** `maxLength` is in UTF-16 code units; `action` is for errors. */
  constructor(maxLength: number, action = "split into lines") {
    this.#maxLength = maxLength;
    this.#action = action;
  }

  /** Enqueues the lines that end in the chunk, and holds what follows them. */
  split(chunk: string | Uint8Array, controller: Controller): void {
    if (typeof chunk === "string") {
      if (this.#kind !== "text") this.#setKind("text");
      this.#splitText(chunk, controller);
    } else if (isBytes(chunk)) {
      if (this.#kind !== "bytes") this.#setKind("bytes");
      this.#splitBytes(chunk, controller);
    } else {
      throwTypeError(this.#action, "a chunk", "a Uint8Array or a string", chunk);
    }
  }

  /** Enqueues what is held. */
  finish(controller: Controller): void {
    const rest = this.#kind === "text" ? this.#takeText() : this.#decode(this.#takeBytes());
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

  #splitText(chunk: string, controller: Controller): void {
    let text = chunk;
    if (this.#heldLength > 0 && chunk.includes("\n")) text = this.#takeText() + chunk;
    const start = this.#emit(text, controller);
    if (start < text.length) this.#holdText(start === 0 ? text : text.slice(start));
  }

  #splitBytes(chunk: Uint8Array, controller: Controller): void {
    let start = 0;
    if (this.#heldLength > 0) {
      start = chunk.indexOf(lineFeed) + 1;
      if (start > 0) {
        this.#pushBytes(chunk.subarray(0, start));
        this.#emit(this.#decode(this.#takeBytes()), controller);
      }
    }
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end > start) this.#emit(this.#decode(chunk.subarray(start, end)), controller);
    // Copied, since the source may use its buffer again.
    if (end < chunk.length) this.#holdBytes(new Uint8Array(chunk.subarray(end)));
  }

  /** Enqueues the lines that end in the text; answers where the rest begins. */
  #emit(text: string, controller: Controller): number {
    const maxLength = this.#maxLength;
    let count = 0;
    let start = 0;
    let feed = text.indexOf("\n");
    while (feed !== -1) {
      const end = feed > start && text.charCodeAt(feed - 1) === carriageReturn ? feed - 1 : feed;
      if (end - start > maxLength) this.#throwTooLong(count);
      controller.enqueue(text.slice(start, end));
      count++;
      start = feed + 1;
      feed = text.indexOf("\n", start);
    }
    this.#linesEmitted += count;
    return start;
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

  #decode(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes);
    if (!this.#isAtStart) return text;
    this.#isAtStart = false;
    return stripByteOrderMark(text);
  }

  #throwTooLong(linesBefore: number): never {
    const lineNumber = this.#linesEmitted + linesBefore + 1;
    throw new RangeError(
      `Cannot ${this.#action}: line ${lineNumber} is longer than maxLength ${this.#maxLength}`,
    );
  }
}
