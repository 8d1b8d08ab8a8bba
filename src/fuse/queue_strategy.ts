import { checkFunction } from "../errors.ts";

/** The strategy of a readable side, as its native stream is given it, and what that must be asked besides. */
export class QueueStrategy implements QueuingStrategy<unknown> {
  /** A number that tells how much the queue holds, where `Infinity` would not. */
  readonly highWaterMark: number;
  readonly size: ((chunk: unknown) => number) | undefined;
  readonly #isEndless: boolean;
  /** What a chunk without a size counts, so that it is known to be there. */
  readonly #trace: number;
  /** Sums of fractions may miss zero by much less. */
  #smallestSize = 1;

  constructor({ highWaterMark = 0, size }: QueuingStrategy<unknown> = {}) {
    const mark = Number(highWaterMark);
    if (!(mark >= 0)) {
      const need = "a non-negative number";
      throw new RangeError(
        `Cannot fuse: readableStrategy.highWaterMark must be ${need}, got ${highWaterMark}`,
      );
    }
    this.#isEndless = mark === Infinity;
    this.highWaterMark = this.#isEndless ? Number.MAX_SAFE_INTEGER : mark;
    this.#trace = 2 ** (Math.ceil(Math.log2(this.highWaterMark + 1)) - 30);
    if (size === undefined) return;
    checkFunction("fuse", "readableStrategy.size", size);
    this.size = (chunk) => {
      const measured = +size(chunk);
      const counted = measured === 0 ? this.#trace : measured;
      if (counted > 0 && counted < this.#smallestSize) this.#smallestSize = counted;
      return counted;
    };
  }

  /** What a stage's controller says its desiredSize is, given the native stream's. */
  desiredSizeOf(native: number): number {
    if (this.#isEndless) return Infinity;
    if (this.#smallestSize > this.#trace) return native;
    const grain = this.#trace * 2 ** 10;
    return Math.round(native / grain) * grain;
  }

  /** Whether the queue is empty. */
  isEmpty(native: number): boolean {
    return this.highWaterMark - native < this.#smallestSize / 2;
  }
}
