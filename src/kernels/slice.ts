/** The chunks that walk together, and what a kernel answers about them. */
export class Slice {
  /** What goes into the stage: the first `count` of them. */
  items: unknown[] = [];
  count = 0;
  /** What comes out of a kernel that makes many chunks of one. */
  out: unknown[] = [];
  outCount = 0;
  /** How many chunks such a kernel may give before it must answer `MORE`. */
  limit = 128;
  /** How many chunks it took. */
  taken = 0;
  /** How many of the first chunks a kernel of one to one has kept. */
  kept = 0;
  /** What a kernel waits for. */
  promise: unknown = undefined;
  /** What it failed with. */
  reason: unknown = undefined;

  /** Adds a chunk to what comes out. */
  give(chunk: unknown): void {
    this.out[this.outCount++] = chunk;
  }

  /** Starts again with one chunk. */
  load(chunk: unknown): void {
    this.items[0] = chunk;
    this.count = 1;
  }

  /** Forgets the chunks from `from` on. */
  truncate(from: number): void {
    const { count } = this;
    this.count = from;
    if (from === 0 && this.items.length > 8) {
      this.items = [];
      return;
    }
    for (let i = from; i < count; i++) this.items[i] = undefined;
  }

  /** Takes the only chunk that came out of the only one that went in. */
  takeOnly(): unknown {
    const chunk = this.out[0];
    this.out[0] = this.items[0] = undefined;
    this.outCount = this.count = 0;
    return chunk;
  }

  /** Takes the only chunk that is in it. */
  takeFirst(): unknown {
    const chunk = this.items[0];
    this.items[0] = undefined;
    this.count = 0;
    return chunk;
  }

  /** Makes what came out what goes in. */
  swap(): void {
    const { items } = this;
    this.items = this.out;
    this.count = this.outCount;
    // One that once held a big batch must not keep its room forever.
    this.out = items.length > 1024 ? [] : items;
    this.outCount = 0;
  }

  /** Gives the array of chunks away. */
  release(): void {
    this.items = [];
    this.count = 0;
  }
}
