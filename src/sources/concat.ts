import type { Source } from "../source_types.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { directStream } from "./direct_stream.ts";
import {
  checkOneSource,
  checkSources,
  nameOfArgument,
  openSources,
  sourcesOf,
} from "./open_sources.ts";
import { abandonAll, cancelAll, describePending, SourceReader } from "./source_reader.ts";

/** A source of `concat`, or a function that opens one when its turn comes. */
export type ConcatSource<T> = Source<T> | (() => Source<T> | PromiseLike<Source<T>>);

/** Sources of `concat` of the chunk types in the tuple `Chunks`. */
export type ConcatSources<Chunks extends readonly unknown[]> = {
  [Index in keyof Chunks]: ConcatSource<Chunks[Index]>;
};

/**
 * Joins sources into one stream that gives all chunks of the first, then all of the second, and so on.
 *
 * Only one source is read at a time, and only on demand. A function opens its source when its turn comes,
 * and not at all if it never does. A failure is the stream's, and cancels the sources after it. Cancelling
 * reaches the open source and all after it but those that are functions.
 *
 * @typeParam Chunks The types of the sources' chunks.
 * @param sources What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request` each, or a function that gives one of these or a promise of it. Streams are locked at once.
 * @returns A stream with a `highWaterMark` of 0.
 * @throws {TypeError} If a source is none of these, is locked, or is the same stream as another.
 *
 * @example A heading before rows that are fetched later
 * ```ts
 * import { concat } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const openRows = () => Promise.resolve(new Response("Ada;36\n"));
 * const table = concat([new TextEncoder().encode("name;age\n")], openRows);
 *
 * assert.deepEqual(await new Response(table).text(), "name;age\nAda;36\n");
 * ```
 */
export function concat<Chunks extends unknown[]>(
  ...sources: ConcatSources<Chunks>
): ReadableStream<Chunks[number]> {
  const action = "create concat";
  const indexes = [...sources.keys()].filter((index) => typeof sources[index] !== "function");
  const found = checkSources(
    action,
    indexes.map((index) => sources[index]),
    (index) => nameOfArgument(indexes[index]!),
  );
  const opened = openSources(found, (index) => sourcesOf("concat")(indexes[index]!)).values();
  const parts = sources.map((source) =>
    typeof source === "function" ? source as () => unknown : opened.next().value!
  );
  return directStream(new Concatenation<Chunks[number]>(action, parts), "concat");
}

type Controller<T> = ReadableStreamDefaultController<T>;
type Opener = () => unknown;

const nameOf = sourcesOf("concat");

/** The underlying source that reads one source after the other. */
class Concatenation<T> implements UnderlyingDefaultSource<T> {
  readonly #action: string;
  /** In reverse, so that the next is the last. */
  readonly #waiting: (SourceReader<unknown> | Opener)[];
  readonly #count: number;
  #current: SourceReader<unknown> | undefined;
  #ending: { readonly reason: unknown } | undefined;

  constructor(action: string, sources: readonly (SourceReader<unknown> | Opener)[]) {
    this.#action = action;
    this.#count = sources.length;
    this.#waiting = [...sources].reverse();
  }

  start(controller: Controller<T>): void {
    if (this.#count === 0) controller.close();
  }

  async pull(controller: Controller<T>): Promise<void> {
    try {
      while (true) {
        this.#current ??= await this.#openNext();
        // Cancelled while it was opened.
        if (this.#ending !== undefined) return abandonAll(this.#takeOpen(), this.#ending.reason);
        if (this.#current === undefined) return controller.close();
        const { done, value } = await this.#current.read();
        if (this.#ending !== undefined) return;
        if (!done) return controller.enqueue(value as T);
        this.#current = undefined;
      }
    } catch (reason) {
      if (this.#ending !== undefined) return;
      this.#ending = { reason };
      abandonAll(this.#takeOpen(), reason);
      controller.error(reason);
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.#ending = { reason };
    return cancelAll(this.#takeOpen(), reason);
  }

  waiting(): string {
    const at = this.#count - this.#waiting.length;
    return this.#current === undefined
      ? `source ${at} of concat has not been opened`
      : describePending([this.#current])!;
  }

  async #openNext(): Promise<SourceReader<unknown> | undefined> {
    const index = this.#count - this.#waiting.length;
    const next = this.#waiting.pop();
    if (typeof next !== "function") return next;
    const source = await next();
    const found = checkOneSource(this.#action, source, `what ${nameOfArgument(index)} opens`);
    return new SourceReader(found, nameOf(index));
  }

  #takeOpen(): SourceReader<unknown>[] {
    const open = this.#waiting.splice(0).filter((source) => typeof source !== "function");
    return this.#current === undefined ? open : [this.#current, ...open.reverse()];
  }
}
