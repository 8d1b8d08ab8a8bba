/** Chunks that walk through a chain together; what lies past `count` is `undefined`. */
export class Slice {
  items: unknown[] = [];
  count = 0;

  /** Forgets the chunks from `from` on. */
  truncate(from: number): void {
    // A slice that once took a big batch must not keep its room for ever.
    if (from === 0 && this.items.length > 1024) this.items = [];
    // A loop: for a few items `fill` takes ten times as long.
    else for (let i = from; i < this.count; i++) this.items[i] = undefined;
    this.count = from;
  }
}
