import type { UnderlyingDefaultSource } from "../web_types.ts";
import {
  abandonAll,
  cancelAll,
  describePending,
  type ReadObserver,
  type SourceReader,
} from "./source_reader.ts";

/** One of the sources that are joined. */
export interface Joined {
  readonly source: SourceReader<unknown>;
  readonly index: number;
  readonly observer: ReadObserver;
  isReading: boolean;
  /** What has arrived and is held, where one is. */
  chunk: unknown;
}

/** The underlying source that joins several; what it gives of what has arrived is up to those that extend it. */
export abstract class Joining<T> implements UnderlyingDefaultSource<T> {
  /** Those that have not ended; none once the stream has. */
  protected readonly open: Set<Joined>;
  /** Those to read with the next pull, unless they have ended. */
  protected idle: Joined[];
  /** How many reads are under way. */
  protected readCount = 0;
  #failure: { readonly reason: unknown } | undefined;
  #controller!: ReadableStreamDefaultController<T>;
  readonly #pulling = new Pulling();

  constructor(sources: readonly SourceReader<unknown>[]) {
    this.idle = sources.map((source, index) => this.#makeEntry(source, index));
    this.open = new Set(this.idle);
  }

  /** Takes a chunk; what it throws fails the stream. */
  protected abstract take(entry: Joined, chunk: unknown): void;

  /** Gives what is next, or an end, if it can by now; whether it has. */
  protected abstract give(): boolean;

  start(controller: ReadableStreamDefaultController<T>): void {
    this.#controller = controller;
    if (this.open.size === 0) controller.close();
  }

  pull(): void | PromiseLike<void> {
    if (this.#answer()) return;
    const { idle } = this;
    this.idle = [];
    for (const entry of idle) {
      if (!this.open.has(entry)) continue;
      entry.isReading = true;
      this.readCount++;
      entry.source.take(entry.observer);
    }
    if (this.#answer()) return;
    return this.#pulling.begin();
  }

  cancel(reason: unknown): Promise<void> {
    const cancelled = cancelAll(this.#takeOpen(), reason);
    this.#pulling.end();
    return cancelled;
  }

  waiting(): string | undefined {
    const pending = [...this.open].filter(({ isReading }) => isReading);
    return describePending(pending.map(({ source }) => source));
  }

  protected get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  protected enqueue(chunk: T): true {
    this.#pulling.end();
    this.#controller.enqueue(chunk);
    return true;
  }

  /** Ends the stream, and gives up the sources that go on. */
  protected close(): true {
    abandonAll(this.#takeOpen(), undefined);
    this.#pulling.end();
    this.#controller.close();
    return true;
  }

  /** Fails the stream once nothing more can be given, and gives up all sources at once. */
  protected fail(reason: unknown): void {
    this.#failure ??= { reason };
    abandonAll(this.#takeOpen(), reason);
  }

  #makeEntry(source: SourceReader<unknown>, index: number): Joined {
    const isOver = (): boolean => {
      entry.isReading = false;
      this.readCount--;
      return !this.open.has(entry);
    };
    const entry: Joined = {
      source,
      index,
      isReading: false,
      chunk: undefined,
      observer: {
        onChunk: (chunk) => {
          if (isOver()) return;
          try {
            this.take(entry, chunk);
          } catch (reason) {
            this.fail(reason);
          }
          this.#handleArrival();
        },
        onEnd: () => {
          if (isOver()) return;
          this.open.delete(entry);
          this.#handleArrival();
        },
        onFailure: (reason) => {
          if (isOver()) return;
          this.open.delete(entry);
          this.fail(reason);
          this.#handleArrival();
        },
      },
    };
    return entry;
  }

  /** A pull that is just asking the others answers by itself. */
  #handleArrival(): void {
    if (this.#pulling.isPending) this.#answer();
  }

  #takeOpen(): SourceReader<unknown>[] {
    const open = Array.from(this.open, ({ source }) => source);
    this.open.clear();
    return open;
  }

  /** Ends the pull by a chunk or an end, if there is one by now; whether it has. */
  #answer(): boolean {
    if (this.give()) return true;
    if (this.open.size > 0) return false;
    if (this.#failure === undefined) return this.close();
    this.#pulling.end();
    this.#controller.error(this.#failure.reason);
    return true;
  }
}

/** A `pull` that is under way, one at a time: made once, since a pipeline that reads past the stream asks for no promise. */
class Pulling implements PromiseLike<void> {
  isPending = false;
  #onEnded: (() => unknown) | undefined;

  begin(): this {
    this.isPending = true;
    return this;
  }

  end(): void {
    this.isPending = false;
    const onEnded = this.#onEnded;
    this.#onEnded = undefined;
    onEnded?.();
  }

  /** Called by the stream, a step after `pull` has answered; what waits is not chained. */
  then(onFulfilled?: ((value: void) => unknown) | null): never {
    this.#onEnded = onFulfilled!;
    if (!this.isPending) this.end();
    return undefined as never;
  }
}
