type State = "magic" | "skippable" | "descriptor" | "header" | "block" | "content" | "checksum";

const idBytes = [0, 1, 2, 4];

/**
 * Follows the frames of zstd as RFC 8878 has them, to know whether a file ends where one does: some runtimes take one
 * that is cut off for whole.
 */
export class ZstdFrames {
  #state: State = "magic";
  /** Bytes that the state needs, and those of them that are read as a number. */
  #left = 4;
  #value = 0;
  #shift = 0;
  #hasChecksum = false;
  #isLast = false;

  /** Whether what was taken ends at the end of a frame. */
  get isWhole(): boolean {
    return this.#state === "magic" && this.#left === 4;
  }

  /** Takes the next bytes of the file, up to the end of a frame; returns how many. */
  take(bytes: Uint8Array): number {
    for (let at = 0; at < bytes.length;) {
      if (this.#state === "content" || this.#state === "header") {
        const count = Math.min(this.#left, bytes.length - at);
        this.#left -= count;
        at += count;
      } else {
        this.#value += bytes[at++]! * 2 ** this.#shift;
        this.#shift += 8;
        this.#left--;
      }
      while (this.#left === 0) this.#goOn();
      if (this.isWhole) return at;
    }
    return bytes.length;
  }

  #goOn(): void {
    const value = this.#value;
    switch (this.#state) {
      case "magic":
        return (value & 0xfffffff0) === 0x184d2a50
          ? this.#enter("skippable", 4)
          : this.#enter("descriptor", 1);
      case "skippable":
        // What is to be skipped is like a last block without a checksum.
        this.#isLast = true;
        this.#hasChecksum = false;
        return this.#enter("content", value);
      case "descriptor": {
        const isSingle = (value & 0x20) !== 0;
        const sizeFlag = value >> 6;
        const sizeBytes = sizeFlag === 0 ? Number(isSingle) : 2 ** sizeFlag;
        this.#hasChecksum = (value & 4) !== 0;
        return this.#enter("header", Number(!isSingle) + idBytes[value & 3]! + sizeBytes);
      }
      case "header":
        return this.#enter("block", 3);
      case "block": {
        this.#isLast = (value & 1) === 1;
        const isRepeated = (value >> 1 & 3) === 1;
        return this.#enter("content", isRepeated ? 1 : value >> 3);
      }
      case "content":
        if (!this.#isLast) return this.#enter("block", 3);
        return this.#hasChecksum ? this.#enter("checksum", 4) : this.#enter("magic", 4);
      case "checksum":
        return this.#enter("magic", 4);
    }
  }

  #enter(state: State, bytes: number): void {
    this.#state = state;
    this.#left = bytes;
    this.#value = this.#shift = 0;
  }
}
