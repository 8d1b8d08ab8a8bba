import { clearTimeout, setTimeout } from "node:timers";

/** A number of places, and a line of those that wait for one. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<(hasSlot: boolean) => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether a place was free, or became so within `queueMs`; then it must be released. */
  take(queueMs: number): boolean | Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    if (queueMs === 0) return false;
    return new Promise((resolve) => {
      const settle = (hasSlot: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve(hasSlot);
      };
      const timer = setTimeout(() => settle(false), queueMs);
      this.#waiting.add(settle);
    });
  }

  /** Gives a place back, to the first in line if there is one. */
  release(): void {
    const [first] = this.#waiting;
    if (first === undefined) this.#free++;
    else first(true);
  }
}
