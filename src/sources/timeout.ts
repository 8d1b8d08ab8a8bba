import { delay, readOptions } from "../read_options.ts";
import type { Source } from "../source_types.ts";
import { namedStream } from "./direct_stream.ts";
import { checkOneSource } from "./open_sources.ts";
import { RelayedSource } from "./relayed_source.ts";
import { SourceReader } from "./source_reader.ts";

/** The times that `timeout` allows; at least one is needed. */
export interface TimeoutOptions {
  /**
   * Milliseconds that one read may take, from 0 to 2,147,483,647. The clock runs only while a read is
   * pending, never while the consumer is busy. Default: any time.
   */
  idleMs?: number | undefined;
  /**
   * Milliseconds from the first read until the source must have ended, from 0 to 2,147,483,647; whatever
   * the consumer does in this time counts. Default: any time.
   */
  totalMs?: number | undefined;
}

/**
 * Gives the chunks of a source, and fails with a `TimeoutError` when the source takes too long. Then the
 * source is cancelled with that error, which is a `DOMException` as `AbortSignal.timeout()` has it.
 *
 * @typeParam T The type of the chunks.
 * @param source What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request`. A stream is locked at once.
 * @param options How long it may take.
 * @returns A stream with a `highWaterMark` of 0.
 * @throws {TypeError} If `source` is none of these or locked, no time is given or one is not a number, or an
 * option is unknown.
 * @throws {RangeError} If a time is out of range.
 *
 * @example A source that hangs
 * ```ts
 * import { timeout } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const hanging = new ReadableStream<number>({ start: (controller) => controller.enqueue(1) });
 * const chunks = timeout(hanging, { idleMs: 10 }).getReader();
 *
 * assert.deepEqual(await chunks.read(), { done: false, value: 1 });
 * await assert.rejects(() => chunks.read(), /no chunk within 10 ms/);
 * ```
 */
export function timeout<T>(source: Source<T>, options: TimeoutOptions): ReadableStream<T> {
  const action = "create timeout";
  const found = checkOneSource(action, source);
  const readers = { idleMs: delay(), totalMs: delay() };
  const { idleMs, totalMs } = readOptions(action, options, readers);
  if (idleMs === undefined && totalMs === undefined) {
    throw new TypeError(`Cannot ${action}: idleMs or totalMs must be given`);
  }
  return namedStream(
    "timeout",
    new TimeLimit<T>(new SourceReader(found, "source of timeout"), idleMs, totalMs),
  );
}

type Timer = ReturnType<typeof setTimeout>;

/** The underlying source that gives another one up when it takes too long. */
class TimeLimit<T> extends RelayedSource<T> {
  readonly #idleMs: number | undefined;
  readonly #totalMs: number | undefined;
  #idleTimer: Timer | undefined;
  /** Looks at the end of a turn whether a read is pending: most are answered before, and two timer calls cost more. */
  #turnTimer: Timer | undefined;
  #isPending = false;
  #totalTimer: Timer | undefined;

  constructor(source: SourceReader<T>, idleMs: number | undefined, totalMs: number | undefined) {
    super(source);
    this.#idleMs = idleMs;
    this.#totalMs = totalMs;
  }

  override pull(controller: ReadableStreamDefaultController<T>): void | Promise<void> {
    if (this.#totalMs !== undefined && this.#totalTimer === undefined) {
      const need = `the source has not ended within ${this.#totalMs} ms`;
      this.#totalTimer = setTimeout(() => this.#fail(need), this.#totalMs);
    }
    if (this.#idleMs !== undefined) {
      this.#isPending = true;
      this.#turnTimer ??= setTimeout(this.#onTurn, 0);
    }
    return super.pull(controller);
  }

  protected override handleAnswer(): void {
    this.#isPending = false;
    if (this.#idleTimer === undefined) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  protected override end(): void {
    this.handleAnswer();
    clearTimeout(this.#turnTimer);
    clearTimeout(this.#totalTimer);
    super.end();
  }

  readonly #onTurn = (): void => {
    this.#turnTimer = undefined;
    if (!this.#isPending || this.#idleTimer !== undefined) return;
    const need = `the source has given no chunk within ${this.#idleMs} ms`;
    this.#idleTimer = setTimeout(() => {
      // What arrived while the event loop was kept busy is heard in this turn.
      this.#idleTimer = setTimeout(() => this.#fail(need), 0);
      // Less the turn.
    }, Math.max(0, this.#idleMs! - 1));
  };

  #fail(message: string): void {
    this.giveUp(new DOMException(message, "TimeoutError")).catch(() => {});
  }
}
