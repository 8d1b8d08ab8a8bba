/** How bytes become text: by the name of an encoding as `TextDecoder` has it. */
export interface Decoding {
  readonly encoding: string;
  readonly fatal: boolean;
}

/** Where the first bytes begin that are not UTF-8. */
function findWrong(bytes: Uint8Array): number {
  const decode = (length: number): string =>
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes.subarray(0, length), { stream: true });
  let fine = 0;
  for (let wrong = bytes.length + 1; wrong - fine > 1;) {
    const middle = (fine + wrong) >> 1;
    try {
      decode(middle);
      fine = middle;
    } catch {
      wrong = middle;
    }
  }
  // What only begins a character is no text yet.
  return new TextEncoder().encode(decode(fine)).length;
}

/** Decodes one stream's bytes. */
export class ByteDecoder {
  readonly #decoder: TextDecoder;
  readonly #encoding: string;
  #count = 0;
  #problem: string | undefined;

  constructor({ encoding, fatal }: Decoding = { encoding: "utf-8", fatal: false }) {
    this.#encoding = encoding;
    this.#decoder = new TextDecoder(encoding, { fatal, ignoreBOM: true });
  }

  /** Whether bytes can be cut between characters. Decoding those whole is up to eight times faster than by `next`. */
  get isUtf8(): boolean {
    return this.#encoding === "utf-8";
  }

  /** What was wrong with the bytes after those whose text was given. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The text of whole characters of UTF-8; where some are none, of those before them. */
  whole(bytes: Uint8Array): string {
    try {
      const text = this.#decoder.decode(bytes);
      this.#count += bytes.length;
      return text;
    } catch {
      const at = findWrong(bytes);
      const shown = bytes[at]!.toString(16).padStart(2, "0");
      this.#problem = `byte ${this.#count + at + 1}, 0x${shown}, is not UTF-8`;
      return this.#decoder.decode(bytes.subarray(0, at));
    }
  }

  /** The text of the next bytes of any encoding. */
  next(bytes: Uint8Array): string {
    const first = this.#count + 1;
    this.#count += bytes.length;
    return this.#decode(bytes, true, `bytes ${first} to ${this.#count} are not all`);
  }

  /** What is left of it at the end. */
  end(): string {
    return this.#decode(new Uint8Array(), false, `the last of ${this.#count} bytes is not`);
  }

  #decode(bytes: Uint8Array, stream: boolean, problem: string): string {
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch {
      this.#problem = `${problem} ${this.#encoding}`;
      return "";
    }
  }
}
