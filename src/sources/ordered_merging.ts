import type { UnderlyingDefaultSource } from "../web_types.ts";
import { abandonAll, cancelAll, describePending, type SourceReader } from "./source_reader.ts";

type Controller<T> = ReadableStreamDefaultController<T>;

/** Tells the order of what two chunks are compared by. */
export type Compare = (a: unknown, b: unknown) => number;

/** The next chunk of a source. */
interface Head {
  readonly source: SourceReader<unknown>;
  readonly index: number;
  readonly chunk: unknown;
  /** What it is compared by. */
  readonly rank: unknown;
}

/** The underlying source that gives what several sources in order give, in order. */
export class OrderedMerging<T> implements UnderlyingDefaultSource<T> {
  readonly #compare: Compare;
  readonly #rank: (chunk: unknown) => unknown;
  readonly #open: Set<SourceReader<unknown>>;
  /** Those of which no chunk is held. */
  #empty: (readonly [index: number, source: SourceReader<unknown>])[];
  /** One of each other, the first of all last. */
  readonly #heads: Head[] = [];
  #isOver = false;
  #endPull: (() => void) | undefined;

  constructor(
    sources: readonly SourceReader<unknown>[],
    compare: Compare,
    rank: (chunk: unknown) => unknown,
  ) {
    this.#compare = compare;
    this.#rank = rank;
    this.#open = new Set(sources);
    this.#empty = [...sources.entries()];
  }

  start(controller: Controller<T>): void {
    if (this.#open.size === 0) controller.close();
  }

  pull(controller: Controller<T>): Promise<void> {
    return new Promise((resolve) => {
      // One that fails or is cancelled may leave a read of another that hangs.
      this.#endPull = resolve;
      this.#fill(controller).then(resolve);
    });
  }

  cancel(reason: unknown): Promise<void> {
    this.#end();
    return cancelAll(this.#open, reason);
  }

  waiting(): string | undefined {
    const read = new Set(this.#heads.map(({ source }) => source));
    return describePending([...this.#open].filter((source) => !read.has(source)));
  }

  async #fill(controller: Controller<T>): Promise<void> {
    const empty = this.#empty;
    this.#empty = [];
    await Promise.all(empty.map(([index, source]) => this.#read(index, source, controller)));
    if (this.#isOver) return;
    const head = this.#heads.pop();
    if (head === undefined) {
      this.#isOver = true;
      return controller.close();
    }
    this.#empty.push([head.index, head.source]);
    controller.enqueue(head.chunk as T);
  }

  async #read(
    index: number,
    source: SourceReader<unknown>,
    controller: Controller<T>,
  ): Promise<void> {
    try {
      // An earlier source's `next()` may have cancelled all.
      if (this.#isOver) return;
      const { done, value: chunk } = await source.read();
      if (this.#isOver) return;
      if (done) this.#open.delete(source);
      else this.#insert({ source, index, chunk, rank: this.#rank(chunk) });
    } catch (reason) {
      if (this.#isOver) return;
      this.#end();
      controller.error(reason);
      abandonAll(this.#open, reason);
    }
  }

  /** Keeps the heads in order, the last one first. */
  #insert(head: Head): void {
    const heads = this.#heads;
    let [low, high] = [0, heads.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(head, heads[middle]!)) low = middle + 1;
      else high = middle;
    }
    heads.splice(low, 0, head);
  }

  #isBefore(a: Head, b: Head): boolean {
    const order = this.#compare(a.rank, b.rank);
    return order < 0 || (!(order > 0) && a.index < b.index);
  }

  #end(): void {
    this.#isOver = true;
    this.#heads.length = 0;
    this.#endPull?.();
  }
}
