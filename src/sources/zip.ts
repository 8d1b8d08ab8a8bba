import { checkOptions, throwTypeError } from "../errors.ts";
import { findSource } from "../source/find_source.ts";
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

/** How `zip` ends when its sources are not equally long. */
export interface ZipOptions<Mode extends "shortest" | "longest" | "strict" = "shortest"> {
  /**
   * `"shortest"`: with the first source that ends; the others are cancelled. `"longest"`: with the last;
   * those that have ended give `undefined`. `"strict"`: with all together; if some have ended and another
   * gives a chunk, the stream fails with a `TypeError`. Default: `"shortest"`.
   */
  mode?: Mode | undefined;
}

const modes = ["shortest", "longest", "strict"] as const;

/**
 * Joins sources into one stream of tuples: the first chunk of each, then the second of each, and so on.
 *
 * The chunks of a tuple are read at the same time, and only on demand. The first failure is the stream's,
 * and the other sources are cancelled with it. Cancelling reaches all of them.
 *
 * @typeParam Chunks The types of the sources' chunks, which are also those of a tuple.
 * @param sources What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request` each; last, and optional, how it ends. Streams are locked at once.
 * @returns A stream with a `highWaterMark` of 0.
 * @throws {TypeError} If a source is none of these, is locked, or is the same stream as another; if `mode`
 * is not one of the three, or an option is unknown.
 *
 * @example Questions and answers
 * ```ts
 * import { zip } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const pairs = zip(["6 * 7", "1 + 1", "?"], [42, 2]);
 * assert.deepEqual(await Array.fromAsync(pairs), [["6 * 7", 42], ["1 + 1", 2]]);
 *
 * const padded = zip(["a", "b"], [1], { mode: "longest" });
 * assert.deepEqual(await Array.fromAsync(padded), [["a", 1], ["b", undefined]]);
 * ```
 */
export function zip<Chunks extends unknown[]>(
  ...sources: Sources<Chunks>
): ReadableStream<Chunks>;
/**
 * Joins sources into one stream of tuples, with options; see above.
 *
 * @param sources What to read, and last how it ends.
 */
export function zip<Chunks extends unknown[]>(
  ...sources: [...sources: Sources<Chunks>, options: ZipOptions<"shortest" | "strict">]
): ReadableStream<Chunks>;
/**
 * Joins sources into one stream of tuples, as long as the longest of them; see above.
 *
 * @param sources What to read, and last how it ends.
 */
export function zip<Chunks extends unknown[]>(
  ...sources: [...sources: Sources<Chunks>, options: ZipOptions<"longest">]
): ReadableStream<{ [Index in keyof Chunks]: Chunks[Index] | undefined }>;
export function zip(...args: unknown[]): ReadableStream<unknown[]> {
  const action = "create zip";
  const hasOptions = args.length > 0 && typeof args.at(-1) === "object" && args.at(-1) !== null &&
    findSource(action, args.at(-1), nameOfArgument(args.length - 1)) === undefined;
  const sources = hasOptions ? args.slice(0, -1) : args;
  const options = (hasOptions ? args.at(-1) : {}) as ZipOptions;
  checkOptions(action, options, ["mode"]);
  const { mode = "shortest" } = options;
  if (!modes.includes(mode)) {
    throwTypeError(action, "mode", '"shortest", "longest" or "strict"', mode);
  }
  const found = checkSources(action, sources, nameOfArgument);
  return directStream(new Zipping(openSources(found, sourcesOf("zip")), mode), "zip");
}

type Controller = ReadableStreamDefaultController<unknown[]>;

/** One of the sources; not open once it has ended. */
interface Entry {
  readonly source: SourceReader<unknown>;
  readonly observer: ReadObserver;
  isOpen: boolean;
  /** Its chunk of the tuple has come. */
  isRead: boolean;
}

/** The underlying source that reads one chunk of each of several sources for every chunk of its own. */
class Zipping implements UnderlyingDefaultSource<unknown[]> {
  readonly #entries: readonly Entry[];
  readonly #mode: "shortest" | "longest" | "strict";
  /** A tuple of which nothing has come. */
  readonly #none: readonly undefined[];
  #openCount: number;
  #isOver = false;
  #controller!: Controller;
  /** The tuple that is being read, how many reads of it are pending, and whether any gave a chunk. */
  #values: unknown[] = [];
  #pending = 0;
  #hasChunk = false;
  readonly #pulling = new Pulling();
  /** Until all are being read, what comes at once waits. */
  #isAsking = false;
  #early: (() => void)[] | undefined;

  constructor(sources: readonly SourceReader<unknown>[], mode: "shortest" | "longest" | "strict") {
    this.#entries = sources.map((source, index) => this.#makeEntry(source, index));
    this.#none = sources.map(() => undefined);
    this.#openCount = sources.length;
    this.#mode = mode;
  }

  start(controller: Controller): void {
    this.#controller = controller;
    if (this.#openCount === 0) controller.close();
  }

  pull(): void | PromiseLike<void> {
    const entries = this.#entries;
    this.#values = this.#none.slice();
    this.#pending = this.#openCount;
    this.#hasChunk = false;
    this.#isAsking = true;
    for (const entry of entries) {
      // An earlier source's `next()` may have cancelled all.
      if (this.#isOver) return;
      entry.isRead = false;
      if (entry.isOpen) entry.source.take(entry.observer);
    }
    this.#isAsking = false;
    if (this.#early !== undefined) this.#actEarly(this.#early);
    if (this.#isOver || this.#pending === 0) return;
    return this.#pulling.begin();
  }

  #actEarly(early: readonly (() => void)[]): void {
    this.#early = undefined;
    for (const act of early) act();
  }

  cancel(reason: unknown): Promise<void> {
    const open = this.#end();
    return cancelAll(open, reason);
  }

  waiting(): string | undefined {
    const pending = this.#entries.filter(({ isOpen, isRead }) => isOpen && !isRead);
    return describePending(pending.map(({ source }) => source));
  }

  #makeEntry(source: SourceReader<unknown>, index: number): Entry {
    const onChunk = (chunk: unknown): void => {
      if (this.#isOver) return;
      this.#hasChunk = entry.isRead = true;
      this.#values[index] = chunk;
      this.#settle();
    };
    const onEnd = (): void => {
      if (this.#isOver) return;
      entry.isOpen = false;
      this.#openCount--;
      this.#settle();
    };
    const onFailure = (reason: unknown): void => this.#fail(reason);
    const entry: Entry = {
      source,
      isOpen: true,
      isRead: false,
      observer: {
        onChunk: (chunk) => {
          if (!this.#isAsking) onChunk(chunk);
          else (this.#early ??= []).push(() => onChunk(chunk));
        },
        onEnd: () => {
          if (!this.#isAsking) onEnd();
          else (this.#early ??= []).push(onEnd);
        },
        onFailure: (reason) => {
          if (!this.#isAsking) onFailure(reason);
          else (this.#early ??= []).push(() => onFailure(reason));
        },
      },
    };
    return entry;
  }

  /** Checks what the reads so far make of the tuple. */
  #settle(): void {
    this.#pending--;
    const hasEnded = this.#openCount < this.#entries.length;
    const isAtEnd = this.#mode === "shortest" ? hasEnded : this.#openCount === 0 && !this.#hasChunk;
    if (isAtEnd) {
      abandonAll(this.#end(), undefined);
      this.#controller.close();
    } else if (this.#mode === "strict" && hasEnded && this.#hasChunk) {
      this.#fail(new TypeError("Cannot zip: the sources are not equally long"));
    } else if (this.#pending === 0) {
      this.#pulling.end();
      this.#controller.enqueue(this.#values);
    }
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    abandonAll(this.#end(), reason);
    this.#controller.error(reason);
  }

  /** Answers the sources that are to be given up; what has failed gives up by itself. */
  #end(): SourceReader<unknown>[] {
    this.#isOver = true;
    this.#pulling.end();
    return this.#entries.filter(({ isOpen }) => isOpen).map(({ source }) => source);
  }
}
