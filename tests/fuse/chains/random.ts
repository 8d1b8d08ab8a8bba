/** Numbers that follow from a seed alone. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to `max`. */
  upTo(max: number): number {
    return Math.floor(this.#next() * (max + 1));
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<Value>(...values: readonly Value[]): Value {
    return values[this.upTo(values.length - 1)]!;
  }
}
