import type { Span } from "../span.ts";

const smallestShare = 1 / 8;
const largestShare = 2;

/**
 * Deals a span out in rounds of parts that follow each other: the first for this thread, one for
 * each of the others. Parts grow and shrink until they give the bytes wanted, and that of this thread, which
 * writes as well, until neither waits for the other.
 */
export class Rounds {
  readonly #to: number;
  readonly #otherThreads: number;
  readonly #wantedBytes: number;
  #from: number;
  #length: number;
  #share = 1;

  constructor({ from, to }: Span, otherThreads: number, wantedBytes: number) {
    this.#from = from;
    this.#to = to;
    this.#otherThreads = otherThreads;
    this.#wantedBytes = wantedBytes;
    this.#length = (to - from) / 256;
  }

  /** The parts of the next round; fewer at the end, then none. */
  next(): Span[] {
    const parts: Span[] = [];
    for (let index = 0; index <= this.#otherThreads && this.#from < this.#to; index++) {
      const length = Math.max(1, Math.round(this.#length * (index === 0 ? this.#share : 1)));
      const from = this.#from;
      this.#from = Math.min(this.#to, from + length);
      parts.push({ from, to: this.#from });
    }
    return parts;
  }

  /** Tells how many bytes the parts of other threads gave on average, and who waited for whom. */
  note(bytes: number, { waitedMs, stalledMs }: { waitedMs: number; stalledMs: number }): void {
    this.#length *= Math.min(4, Math.max(1 / 4, this.#wantedBytes / bytes));
    const isShareSmall = waitedMs > stalledMs;
    this.#share = isShareSmall
      ? Math.min(largestShare, this.#share * 1.1)
      : Math.max(smallestShare, this.#share * 0.9);
  }
}
