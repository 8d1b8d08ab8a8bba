/** A first-in, first-out queue that forgets what it has passed on and can take back what it passed on last. */
export class Fifo {
  #items: unknown[] = [];
  #head = 0;
  #tail = 0;

  /** How many items wait. */
  get length(): number {
    return this.#tail - this.#head;
  }

  push(item: unknown): void {
    if (this.#head > 64 && this.#head * 2 > this.#tail) this.#compact();
    this.#items[this.#tail++] = item;
  }

  /** Takes the first `count` of `items`, and the array itself where it can. */
  pushAll(items: unknown[], count: number): void {
    if (this.#head === this.#tail) {
      this.#items = items;
      this.#tail = count;
    } else for (let i = 0; i < count; i++) this.push(items[i]);
  }

  /** Moves up to `limit` items to the front of `target`; tells how many. */
  moveTo(target: unknown[], limit: number): number {
    const items = this.#items;
    const count = Math.min(limit, this.#tail - this.#head);
    const head = this.#head;
    for (let i = 0; i < count; i++) {
      target[i] = items[head + i];
      items[head + i] = undefined;
    }
    this.#head += count;
    if (this.#head === this.#tail) this.clear();
    return count;
  }

  shift(): unknown {
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#tail) this.clear();
    return item;
  }

  /** Puts `source[from..to)` back before all others. */
  putBack(source: unknown[], from: number, to: number): void {
    const count = to - from;
    if (this.#head === this.#tail) this.#head = this.#tail = count;
    else if (this.#head < count) {
      this.#items = [...new Array(count), ...this.#items.slice(this.#head)];
      this.#tail += count - this.#head;
      this.#head = count;
    }
    this.#head -= count;
    for (let i = 0; i < count; i++) this.#items[this.#head + i] = source[from + i];
  }

  clear(): void {
    // A queue that once held a big batch must not keep its room forever.
    if (this.#items.length > 1024) this.#items = [];
    else for (let i = this.#head; i < this.#tail; i++) this.#items[i] = undefined;
    this.#head = this.#tail = 0;
  }

  #compact(): void {
    this.#items.splice(0, this.#head);
    this.#tail -= this.#head;
    this.#head = 0;
  }
}
