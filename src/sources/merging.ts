import { Fifo } from "../fifo.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { Pulling } from "./pulling.ts";
import {
  abandonAll,
  cancelAll,
  describePending,
  type ReadObserver,
  type SourceReader,
} from "./source_reader.ts";

type Controller<T> = ReadableStreamDefaultController<T>;

/** One of the sources, and its chunk that nothing has asked for yet. */
interface Entry {
  readonly source: SourceReader<unknown>;
  readonly observer: ReadObserver;
  chunk: unknown;
}

/** The underlying source that gives what several sources give, in the order of arrival. */
export class Merging<T> implements UnderlyingDefaultSource<T> {
  readonly #open: Set<Entry>;
  /** Those that are not being read, and of which no chunk waits. */
  #idle: Entry[];
  /** Those of which a chunk waits. */
  readonly #arrived = new Fifo();
  #failure: { readonly reason: unknown } | undefined;
  #controller!: Controller<T>;
  readonly #pulling = new Pulling();

  constructor(sources: SourceReader<unknown>[]) {
    this.#idle = sources.map((source) => this.#makeEntry(source));
    this.#open = new Set(this.#idle);
  }

  start(controller: Controller<T>): void {
    this.#controller = controller;
    if (this.#open.size === 0) controller.close();
  }

  pull(): void | PromiseLike<void> {
    if (this.#answer()) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const entry of idle) {
      // One that another's `next()` has cancelled meanwhile is not begun.
      if (this.#open.has(entry)) entry.source.take(entry.observer);
    }
    // What came at once is answered once all are being read.
    if (this.#answer()) return;
    return this.#pulling.begin();
  }

  cancel(reason: unknown): Promise<void> {
    const cancelled = cancelAll(this.#takeOpen(), reason);
    this.#arrived.clear();
    this.#pulling.end();
    return cancelled;
  }

  waiting(): string | undefined {
    const pending = [...this.#open].filter((entry) => !this.#idle.includes(entry));
    return this.#arrived.length > 0
      ? undefined
      : describePending(pending.map(({ source }) => source));
  }

  #makeEntry(source: SourceReader<unknown>): Entry {
    const entry: Entry = {
      source,
      chunk: undefined,
      observer: {
        onChunk: (chunk) => {
          // Cancelled meanwhile.
          if (!this.#open.has(entry)) return;
          entry.chunk = chunk;
          this.#arrived.push(entry);
          this.#handleArrival();
        },
        onEnd: () => {
          if (this.#open.delete(entry)) this.#handleArrival();
        },
        onFailure: (reason) => {
          if (!this.#open.delete(entry)) return;
          this.#failure = { reason };
          abandonAll(this.#takeOpen(), reason);
          this.#handleArrival();
        },
      },
    };
    return entry;
  }

  #takeOpen(): SourceReader<unknown>[] {
    const open = Array.from(this.#open, ({ source }) => source);
    this.#open.clear();
    return open;
  }

  #handleArrival(): void {
    if (this.#pulling.isPending) this.#answer();
  }

  /** Tells whether there was an answer to give. */
  #answer(): boolean {
    if (this.#arrived.length > 0) {
      const entry = this.#arrived.shift() as Entry;
      const chunk = entry.chunk as T;
      entry.chunk = undefined;
      this.#idle.push(entry);
      // First: an answer may be followed by the next pull in the same step.
      this.#pulling.end();
      this.#controller.enqueue(chunk);
      return true;
    }
    if (this.#failure === undefined && this.#open.size > 0) return false;
    this.#pulling.end();
    if (this.#failure === undefined) this.#controller.close();
    else this.#controller.error(this.#failure.reason);
    return true;
  }
}
