/** Chunks that walk through a chain together; what lies past `count` is `undefined`. */
export class Slice {
  items: unknown[] = [];
  count = 0;

  /** Forgets the chunks from `from` on. */
  truncate(from: number): void {
    // To store a new chunk in an old array costs an engine more than a new array for every slice; and one
    // that once took a big batch must not keep its room for ever.
    if (from === 0 && this.items.length > 8) this.items = [];
    // A loop: for a few items `fill` takes ten times as long.
    else for (let i = from; i < this.count; i++) this.items[i] = undefined;
    this.count = from;
  }
}
