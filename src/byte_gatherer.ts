import { joinBytes } from "./is_bytes.ts";

/** Bytes of which a copy of their own costs little beside what they are. */
const largeLength = 4096;
const leastBlock = 64;
const mostBlock = 65_536;

/** Gathers copies of bytes: many small chunks in few blocks, since a view of each costs many times its bytes. */
export class ByteGatherer {
  readonly #parts: Uint8Array[] = [];
  readonly #mostBlock: number;
  #block: Uint8Array<ArrayBuffer> | undefined;
  #used = 0;
  /** How many bytes it holds. */
  length = 0;

  /** `most` is how many bytes are gathered at most. */
  constructor(most = Infinity) {
    this.#mostBlock = Math.min(most, mostBlock);
  }

  add(bytes: Uint8Array): void {
    if (bytes.length >= largeLength) {
      this.#endBlock();
      this.#parts.push(new Uint8Array(bytes));
    } else {
      if (this.#block === undefined || this.#used + bytes.length > this.#block.length) {
        this.#endBlock();
        const length = Math.max(leastBlock, this.length, bytes.length);
        this.#block = new Uint8Array(Math.max(bytes.length, Math.min(length, this.#mostBlock)));
      }
      this.#block.set(bytes, this.#used);
      this.#used += bytes.length;
    }
    this.length += bytes.length;
  }

  /** Gives all, in memory of its own, and holds nothing any more. */
  take(): Uint8Array<ArrayBuffer> {
    const block = this.#block;
    const isWhole = this.#parts.length === 0 && block?.length === this.length;
    if (!isWhole) this.#endBlock();
    const whole = isWhole ? block! : joinBytes(this.#parts, this.length);
    this.#parts.length = 0;
    this.#block = undefined;
    this.#used = this.length = 0;
    return whole;
  }

  #endBlock(): void {
    if (this.#used > 0) this.#parts.push(this.#block!.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
