import { ByteDecoder, type Decoding } from "./byte_decoder.ts";
import { throwTypeError } from "./errors.ts";
import { isBytes, joinBytes } from "./is_bytes.ts";
import { stripByteOrderMark } from "./strip_byte_order_mark.ts";

/** How much of a chunk of bytes is decoded at a time. */
const windowBytes = 256 * 1024;
const noBytes = new Uint8Array();

/** How many bytes at the end begin a character that they do not end. Before a first byte any text can be cut. */
function countOpenBytes(bytes: Uint8Array): number {
  for (let count = 1; count <= 3 && count <= bytes.length; count++) {
    const byte = bytes[bytes.length - count]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > count ? count : 0;
  }
  return 0;
}

/** How a stream's bytes become text, and where its reader is, for errors. */
export interface TextInputOptions {
  readonly decoding: Decoding;
  place(): string;
}

/** One stream's text, of chunks of text or of bytes, without the byte order mark at its start. */
export class TextInput {
  readonly #action: string;
  readonly #options: TextInputOptions | undefined;
  readonly #decoder: ByteDecoder;
  #kind: "bytes" | "text" | undefined;
  #isAtStart = true;
  #text = "";
  #bytes: Uint8Array = noBytes;
  /** What begins a character that has not ended yet. */
  #open: Uint8Array = noBytes;

  /** `action` is for errors. */
  constructor(action: string, options?: TextInputOptions) {
    this.#action = action;
    this.#options = options;
    this.#decoder = new ByteDecoder(options?.decoding);
  }

  /** Takes a chunk; `read` gives its text. */
  take(chunk: string | Uint8Array): void {
    if (typeof chunk === "string") {
      if (this.#kind !== "text") this.#setKind("text");
      this.#text = chunk;
    } else if (isBytes(chunk)) {
      if (this.#kind !== "bytes") this.#setKind("bytes");
      this.#bytes = chunk;
    } else {
      throwTypeError(this.#action, "a chunk", "a Uint8Array or a string", chunk);
    }
  }

  /** Gives some of the chunk's text; nothing once all of it has been given. */
  read(): string {
    let text = this.#text;
    this.#text = "";
    while (text === "" && this.#bytes.length > 0) text = this.#decode();
    if (text === "") this.#throwIfWrong();
    return this.#isAtStart ? this.#start(text) : text;
  }

  /** Keeps what has not been given in memory of its own. */
  keep(): void {
    this.#bytes = new Uint8Array(this.#bytes);
  }

  /** Gives what there is of a character that never ended. */
  finish(): string {
    const text = this.#decoder.isUtf8 ? this.#decoder.whole(this.#open) : this.#decoder.end();
    this.#open = noBytes;
    this.#throwIfWrong();
    return this.#isAtStart ? this.#start(text) : text;
  }

  #decode(): string {
    this.#throwIfWrong();
    const window = this.#bytes.subarray(0, windowBytes);
    this.#bytes = this.#bytes.subarray(windowBytes);
    if (!this.#decoder.isUtf8) return this.#decoder.next(window);
    const open = this.#open;
    const bytes = open.length === 0
      ? window
      : joinBytes([open, window], open.length + window.length);
    const end = bytes.length - countOpenBytes(bytes);
    this.#open = end === bytes.length ? noBytes : bytes.slice(end);
    return this.#decoder.whole(bytes.subarray(0, end));
  }

  /** The text before what is wrong has been given, so that it is known where that is. */
  #throwIfWrong(): void {
    const { problem } = this.#decoder;
    if (problem === undefined) return;
    throw new SyntaxError(`Cannot ${this.#action}: ${this.#options?.place() ?? ""}${problem}`);
  }

  #start(text: string): string {
    if (text === "") return text;
    this.#isAtStart = false;
    // What is left may be nothing, and there may be more.
    return stripByteOrderMark(text) || this.read();
  }

  #setKind(kind: "bytes" | "text"): void {
    if (this.#kind !== undefined) {
      throw new TypeError(
        `Cannot ${this.#action}: chunks must be all bytes or all text, got ${kind} after ${this.#kind}`,
      );
    }
    this.#kind = kind;
  }
}
