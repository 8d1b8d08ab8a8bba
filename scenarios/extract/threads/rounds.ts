import type { Period } from "../period.ts";

const smallestShare = 1 / 8;
const largestShare = 2;

/**
 * Deals a period out in rounds of parts that follow each other: the first for this thread, one for
 * each of the others. Parts grow and shrink until they give the bytes wanted, and that of this thread, which
 * writes as well, until nobody waits for the other.
 */
export class Rounds {
  readonly #toMs: number;
  readonly #otherThreads: number;
  readonly #wantedBytes: number;
  #fromMs: number;
  #partMs: number;
  #share = 1;

  constructor({ fromMs, toMs }: Period, otherThreads: number, wantedBytes: number) {
    this.#fromMs = fromMs;
    this.#toMs = toMs;
    this.#otherThreads = otherThreads;
    this.#wantedBytes = wantedBytes;
    this.#partMs = (toMs - fromMs) / 256;
  }

  /** The parts of the next round; fewer at the end, then none. */
  next(): Period[] {
    const parts: Period[] = [];
    for (let index = 0; index <= this.#otherThreads && this.#fromMs < this.#toMs; index++) {
      const lengthMs = Math.max(1, Math.round(this.#partMs * (index === 0 ? this.#share : 1)));
      const fromMs = this.#fromMs;
      this.#fromMs = Math.min(this.#toMs, fromMs + lengthMs);
      parts.push({ fromMs, toMs: this.#fromMs });
    }
    return parts;
  }

  /** Tells how many bytes the parts of other threads gave on average, and who waited for whom. */
  note(bytes: number, { waitedMs, stalledMs }: { waitedMs: number; stalledMs: number }): void {
    this.#partMs *= Math.min(4, Math.max(1 / 4, this.#wantedBytes / bytes));
    const isShareSmall = waitedMs > stalledMs;
    this.#share = isShareSmall
      ? Math.min(largestShare, this.#share * 1.1)
      : Math.max(smallestShare, this.#share * 0.9);
  }
}
