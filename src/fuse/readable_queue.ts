import { checkFunction } from "../errors.ts";
import { Fifo } from "../fifo.ts";

/** The queue of a readable side, measured by its strategy: `highWaterMark` and `size` as in the standard. */
export class ReadableQueue {
  readonly highWaterMark: number;
  readonly #size: ((chunk: unknown) => number) | undefined;
  readonly #chunks = new Fifo();
  readonly #sizes = new Fifo();
  #totalSize = 0;

  constructor({ highWaterMark = 0, size }: QueuingStrategy<unknown> = {}) {
    this.highWaterMark = Number(highWaterMark);
    if (!(this.highWaterMark >= 0)) {
      const need = "a non-negative number";
      throw new RangeError(
        `Cannot fuse: readableStrategy.highWaterMark must be ${need}, got ${highWaterMark}`,
      );
    }
    if (size !== undefined) checkFunction("fuse", "readableStrategy.size", size);
    this.#size = size;
  }

  /** Nothing is counted: it needs no chunk to wait in it. */
  get isPlain(): boolean {
    return this.#size === undefined && this.highWaterMark === 0;
  }

  /** Whether chunks are measured by a function, not counted. */
  get isMeasured(): boolean {
    return this.#size !== undefined;
  }

  get length(): number {
    return this.#chunks.length;
  }

  get desiredSize(): number {
    return this.highWaterMark - this.#totalSize;
  }

  /** Answers the size of a chunk; throws what `size` throws, or if it answers no size. */
  measure(chunk: unknown): number {
    const measure = this.#size;
    if (measure === undefined) return 1;
    const size = Number(measure(chunk));
    if (!(size >= 0) || size === Infinity) {
      throw new RangeError(
        `Cannot enqueue: size must be a finite, non-negative number, got ${size}`,
      );
    }
    return size;
  }

  push(chunk: unknown, size: number): void {
    this.#chunks.push(chunk);
    this.#sizes.push(size);
    this.#totalSize += size;
  }

  shift(): unknown {
    this.#totalSize -= this.#sizes.shift() as number;
    // Sums of fractions may miss zero.
    if (this.#sizes.length === 0) this.#totalSize = 0;
    return this.#chunks.shift();
  }

  clear(): void {
    this.#chunks.clear();
    this.#sizes.clear();
    this.#totalSize = 0;
  }
}
