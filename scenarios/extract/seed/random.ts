/** Repeatable random numbers: one stream of them for each pair of seed and index. */
export class Random {
  #state: number;

  constructor(seed: number, index: number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
    // Neighbouring indexes begin in neighbouring states.
    this.next();
    this.next();
  }

  /** An integer from 0 to 2^32 - 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.next() / 2 ** 32 * limit);
  }

  /** One of `items`. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}
