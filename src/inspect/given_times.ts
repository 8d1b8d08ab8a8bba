/** More are not remembered: chunks that another part takes out between two stages would pile up. */
const limit = 65_536;

/** When the chunks of a stage were given, until the next stage begins them. */
export class GivenTimes {
  #times: number[] = [];
  /** How many at the front of `#times` are done with. */
  #gone = 0;
  /** The number of the first chunk that is left. */
  #first = 1;

  /** Chunk number `ordinal`, counted from 1, is given. */
  add(ordinal: number, timeMs: number): void {
    // One that could not be put in the queue has given its number back; one that was not seen has left a gap.
    const count = this.#times.length - this.#gone;
    if (ordinal !== this.#first + count) {
      if (ordinal === this.#first + count - 1 && count > 0) this.#times.pop();
      else this.#clear(ordinal);
    }
    this.#times.push(timeMs);
    if (this.#times.length - this.#gone > limit) this.#drop(1);
  }

  /** When chunk number `ordinal` was given, if that is known; earlier ones are forgotten. */
  take(ordinal: number): number | undefined {
    const skipped = ordinal - this.#first;
    if (skipped < 0 || skipped >= this.#times.length - this.#gone) return undefined;
    const timeMs = this.#times[this.#gone + skipped];
    this.#drop(skipped + 1);
    return timeMs;
  }

  #drop(count: number): void {
    this.#gone += count;
    this.#first += count;
    // In large steps, so that a chunk costs the same however many wait.
    if (this.#gone > 64 && this.#gone * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#gone);
      this.#gone = 0;
    }
  }

  #clear(first: number): void {
    this.#times = [];
    this.#gone = 0;
    this.#first = first;
  }
}
