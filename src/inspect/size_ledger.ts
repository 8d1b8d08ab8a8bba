/** The sizes of a chunk in the queue it is put in and in the one it goes to next. */
type Sizes = readonly [out: number, next: number];

/** Remembers the sizes of the chunks between two stages, since a queue only tells their sum. */
export class SizeLedger {
  #sizes: Sizes[] = [];
  /** How many chunks are no longer in `#sizes`, having been begun. */
  #begun = 0;
  /** How many chunks have left the first queue. */
  #left = 0;
  #outSum = 0;

  add(out: number, next: number): void {
    this.#sizes.push([out, next]);
    this.#outSum += out;
  }

  /** Forgets the chunk that was added last: it did not get into the queue. */
  removeLast(): void {
    const last = this.#sizes.pop();
    if (last !== undefined) this.#outSum -= last[0];
  }

  /** How many chunks are in the first queue, if their sizes come to `total` and `begun` chunks are farther on. */
  countOut(total: number, begun: number): number {
    const tolerance = 1e-9 * Math.max(1, Math.abs(total));
    const given = this.#begun + this.#sizes.length;
    while (this.#left < given) {
      const [size] = this.#sizes[this.#left - this.#begun]!;
      const isTooMuch = this.#outSum > total + tolerance &&
        this.#outSum - size >= total - tolerance;
      if (this.#left >= begun && !isTooMuch) break;
      this.#outSum -= size;
      this.#left++;
    }
    const gone = Math.min(begun, this.#left) - this.#begun;
    // In large steps, so that a chunk costs the same however many wait.
    if (gone > 64 && gone * 2 > this.#sizes.length) {
      this.#sizes = this.#sizes.slice(gone);
      this.#begun += gone;
    }
    return given - this.#left;
  }

  /** The sum of the sizes of the `count` chunks in the second queue, of which the first is number `begun`. */
  sumNext(begun: number, count: number): number {
    const from = begun - this.#begun;
    return this.#sizes.slice(from, from + count).reduce((sum, [, next]) => sum + next, 0);
  }
}
