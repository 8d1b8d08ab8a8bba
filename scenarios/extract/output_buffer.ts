import type { Output } from "./output.ts";

const pieceSize = 65_536;

/**
 * Gathers text as bytes, in the one buffer there is, and writes them in pieces of 64 KiB or more. How
 * rows were read has no say in how they are written, and no text outlives its row for long: what
 * survives collections makes V8's young generation grow.
 */
export class OutputBuffer {
  readonly #output: Output;
  readonly #encoder = new TextEncoder();
  readonly #buffer = new Uint8Array(2 * pieceSize);
  #length = 0;
  #rows = 0;
  #rowsWritten = 0;
  #bytesWritten = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /** What the output has taken. */
  get written(): { readonly rows: number; readonly bytes: number } {
    return { rows: this.#rowsWritten, bytes: this.#bytesWritten };
  }

  /** Bytes that were taken, written or not. */
  get bytes(): number {
    return this.#bytesWritten + this.#length;
  }

  /** Takes the text of some rows; a promise tells when there is room for more. */
  add(text: string, rows: number): void | Promise<void> {
    const rest = this.#encode(text);
    if (rest !== "") return this.#addRest(rest, rows);
    this.#rows += rows;
    if (this.#length >= pieceSize) return this.flush().then(() => {});
  }

  /** Takes rows that are bytes already; a copy, unless they are too many to be gathered. */
  async addBytes(bytes: Uint8Array, rows: number): Promise<void> {
    if (this.#length + bytes.length > this.#buffer.length) await this.flush();
    if (bytes.length < pieceSize) {
      this.#buffer.set(bytes, this.#length);
      this.#length += bytes.length;
      this.#rows += rows;
      if (this.#length >= pieceSize) await this.flush();
      return;
    }
    await this.flush();
    await this.#output.write(bytes);
    this.#bytesWritten += bytes.length;
    this.#rowsWritten += rows;
  }

  /** Writes what is there, however little; returns what the output has taken. */
  async flush(): Promise<{ readonly rows: number; readonly bytes: number }> {
    if (this.#length > 0) await this.#output.write(this.#buffer.subarray(0, this.#length));
    this.#bytesWritten += this.#length;
    this.#rowsWritten += this.#rows;
    this.#length = this.#rows = 0;
    return this.written;
  }

  /** Rows that are written in part are not counted yet. */
  async #addRest(text: string, rows: number): Promise<void> {
    for (let rest = text; rest !== ""; rest = this.#encode(rest)) await this.flush();
    this.#rows += rows;
  }

  /** Takes as much of `text` as there is room for, and gives back the rest. */
  #encode(text: string): string {
    const { read, written } = this.#encoder.encodeInto(text, this.#buffer.subarray(this.#length));
    this.#length += written;
    return text.slice(read);
  }
}
