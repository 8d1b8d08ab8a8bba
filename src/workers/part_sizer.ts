const maxChunks = 1_024;
const maxBytes = 1_048_576;

/** Says when enough of a block's output has been made to send it on before the rest. */
export class PartSizer {
  #chunks = 0;
  #bytes = 0;

  /** Counts a chunk; answers whether the part is full with it. */
  isFullWith(chunk: unknown): boolean {
    if (typeof chunk === "string") this.#bytes += chunk.length;
    else if (ArrayBuffer.isView(chunk)) this.#bytes += chunk.byteLength;
    return ++this.#chunks >= maxChunks || this.#bytes >= maxBytes;
  }

  reset(): void {
    this.#chunks = this.#bytes = 0;
  }
}
