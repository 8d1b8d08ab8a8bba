import { isUtf8 } from "node:buffer";

/** The length from which texts stay bytes: a string would be a second copy, and its quoted form a third. */
const leastBytes = 1_048_576;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A large text, as its UTF-8. */
export class TextBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** A text of UTF-8, large or small; `undefined` if it is none. */
  static read(bytes: Uint8Array): string | TextBytes | undefined {
    if (bytes.length >= leastBytes) return isUtf8(bytes) ? new TextBytes(bytes) : undefined;
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }
}
