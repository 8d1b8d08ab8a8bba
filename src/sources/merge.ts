import { Fifo } from "../fifo.ts";
import type { Sources } from "../source_types.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { directStream } from "./direct_stream.ts";
import { checkSources, nameOfArgument, openSources, sourcesOf } from "./open_sources.ts";
import { Pulling } from "./pulling.ts";
import {
  abandonAll,
  cancelAll,
  describePending,
  type ReadObserver,
  type SourceReader,
} from "./source_reader.ts";

/**
 * Joins sources into one stream that gives their chunks as they arrive.
 *
 * Nothing is read before the first read; then at most one read of each source is pending, and no source
 * starves. The stream ends when all have ended. The first failure is the stream's, after the chunks that
 * came before it, and the other sources are cancelled with it. Cancelling reaches all of them.
 *
 * @typeParam Chunks The types of the sources' chunks.
 * @param sources What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request` each. Streams are locked at once.
 * @returns A stream with a `highWaterMark` of 0.
 * @throws {TypeError} If a source is none of these, is locked, or is the same stream as another.
 *
 * @example Two feeds
 * ```ts
 * import { merge } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * async function* countTo(count: number) {
 *   for (let n = 1; n <= count; n++) yield n;
 * }
 *
 * const merged = await Array.fromAsync(merge(countTo(3), [10, 20]));
 * assert.deepEqual(merged.toSorted((a, b) => a - b), [1, 2, 3, 10, 20]);
 * ```
 */
export function merge<Chunks extends unknown[]>(
  ...sources: Sources<Chunks>
): ReadableStream<Chunks[number]> {
  const found = checkSources("create merge", sources, nameOfArgument);
  return directStream(
    new Merging<Chunks[number]>(openSources(found, sourcesOf("merge"))),
    "merge",
    true,
  );
}

type Controller<T> = ReadableStreamDefaultController<T>;

/** One of the sources, and its chunk that nothing has asked for yet. */
interface Entry {
  readonly source: SourceReader<unknown>;
  readonly observer: ReadObserver;
  chunk: unknown;
}

/** The underlying source that gives what several sources give, in the order of arrival. */
class Merging<T> implements UnderlyingDefaultSource<T> {
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
