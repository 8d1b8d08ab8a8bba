import { checkFunction } from "../errors.ts";
import { integer, readOptions, signal } from "../read_options.ts";
import { mayRetry, type RetryPolicy, retryReaders, waitMsAfter } from "../retry_policy.ts";
import type { Source } from "../source_types.ts";
import { watchSignal } from "../watch_signal.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { namedStream } from "./direct_stream.ts";
import { checkOneSource } from "./open_sources.ts";
import { abandonAll, SourceReader } from "./source_reader.ts";

/** What `retry` passes to the function that opens the source. */
export interface RetryAttempt<T> {
  /** 1, and one more for each failure since the last chunk. */
  readonly attempt: number;
  /** How many chunks have been delivered, over all attempts. */
  readonly delivered: number;
  /** The last chunk that was delivered; `undefined` before the first. */
  readonly last: T | undefined;
  /** Aborts when the stream is cancelled, or with the signal of the options. */
  readonly signal: AbortSignal;
}

/** When `retry` opens the source again, and when it gives up. */
export interface RetryOptions {
  /**
   * How many failures in a row, without a chunk between them, are too many: a positive integer or
   * `Infinity`. Default: `totalAttempts`, or 5.
   */
  attempts?: number | undefined;
  /**
   * How often the source is opened at most, chunks between the failures or not: a positive integer or `Infinity`.
   * Default: `Infinity`.
   */
  totalAttempts?: number | undefined;
  /**
   * Milliseconds to wait after a first failure, from 0 to 2,147,483,647; twice as long after each other in
   * a row. The wait is a random time between half of that and all of it. Default: 1000.
   */
  delayMs?: number | undefined;
  /** The longest wait in milliseconds, from 0 to 2,147,483,647. Default: 30,000. */
  maxDelayMs?: number | undefined;
  /** Given a failure, returns or promises whether to try again. Default: always. */
  shouldRetry?: ((reason: unknown) => boolean | PromiseLike<boolean>) | undefined;
  /** Ends the stream, a wait included, with the signal's reason. Default: none. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens a source, and opens it again where it stopped when it fails.
 *
 * `open` is called on the first read, and after each failure, its own included, once the wait is over. It
 * should give what follows the chunks that were delivered: these are never repeated by `retry`, nor held. A
 * source that ends, ends the stream. When the attempts are used up or `shouldRetry` says so, the last
 * failure is the stream's.
 *
 * @typeParam T The type of the chunks.
 * @typeParam Last The type of the last chunk as `open` gets it. Default: `T`.
 * @param open Gets the attempt, what was delivered, and a signal; gives the source or a promise of it: a
 * `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or a `Request`.
 * @param options When to try again.
 * @returns A stream with a `highWaterMark` of 0. It fails with a `TypeError` if `open` gives no source.
 * @throws {TypeError} If `open` or `shouldRetry` is not a function, a number is not one, `signal` is not an
 * `AbortSignal`, or an option is unknown.
 * @throws {RangeError} If a number is out of range.
 *
 * @example A source that breaks
 * ```ts
 * import { retry } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const chunks = retry(async function* ({ attempt, delivered }) {
 *   yield delivered + 1;
 *   yield delivered + 2;
 *   if (attempt === 1) throw new Error("the connection is gone");
 * }, { delayMs: 1 });
 *
 * assert.deepEqual(await Array.fromAsync(chunks), [1, 2, 3, 4]);
 * ```
 */
export function retry<T, Last = T>(
  open: (attempt: RetryAttempt<Last>) => Source<T> | PromiseLike<Source<T>>,
  options: RetryOptions = {},
): ReadableStream<T> {
  const action = "create retry";
  checkFunction(action, "open", open, true);
  const plan = readOptions(action, options, {
    totalAttempts: integer(Infinity, 1, true),
    ...retryReaders(options?.totalAttempts),
    signal,
  });
  return namedStream("retry", new Retrying<T>(open as never, plan));
}

type Controller<T> = ReadableStreamDefaultController<T>;

/** When it opens the source again, and when it ends. */
interface Plan extends RetryPolicy, Pick<RetryOptions, "signal"> {
  readonly totalAttempts: number;
}

/** The underlying source that opens another one as often as it must. */
class Retrying<T> implements UnderlyingDefaultSource<T> {
  readonly #open: (attempt: RetryAttempt<T>) => unknown;
  readonly #plan: Plan;
  readonly #abort = new AbortController();
  /** While what `open` gave is looked at: if it is not a source, another attempt would not help. */
  #isHopeless = false;
  /** Since the last chunk. */
  #failures = 0;
  #totalFailures = 0;
  #delivered = 0;
  #last: T | undefined;
  #source: SourceReader<unknown> | undefined;
  #unwatch: (() => void) | undefined;
  #ending: { readonly reason: unknown } | undefined;
  #endPull: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(open: (attempt: RetryAttempt<T>) => unknown, plan: Plan) {
    this.#open = open;
    this.#plan = plan;
  }

  pull(controller: Controller<T>): void | Promise<void> {
    const { signal } = this.#plan;
    if (signal !== undefined && this.#unwatch === undefined) {
      const onAbort = (): void => {
        this.#closeAndThrow(signal.reason).catch(() => {});
        controller.error(signal.reason);
      };
      if (signal.aborted) return onAbort();
      this.#unwatch = watchSignal(signal, onAbort);
    }
    return new Promise((resolve) => {
      // A pull ends with the stream, even if something hangs.
      this.#endPull = resolve;
      this.#giveChunk(controller).catch((reason) => {
        if (this.#ending !== undefined) return;
        this.#end(reason);
        controller.error(reason);
      });
    });
  }

  waiting(): string {
    return `its source has ${
      this.#source === undefined ? "not been opened" : "given nothing since"
    }`;
  }

  cancel(reason: unknown): Promise<void> {
    return this.#closeAndThrow(reason);
  }

  /** Gives the next chunk, or the end; rejects if there is no other attempt. */
  async #giveChunk(controller: Controller<T>): Promise<void> {
    while (true) {
      try {
        this.#source ??= await this.#openSource();
        // Cancelled while it was opened.
        if (this.#ending !== undefined) return abandonAll([this.#source], this.#ending.reason);
        const { done, value } = await this.#source.read();
        if (this.#ending !== undefined) return;
        if (done) {
          this.#end(undefined);
          return controller.close();
        }
        this.#failures = 0;
        this.#delivered++;
        controller.enqueue(this.#last = value as T);
        return this.#endPull!();
      } catch (reason) {
        if (this.#ending !== undefined) return;
        this.#source = undefined;
        await this.#recover(reason);
        if (this.#ending !== undefined) return;
      }
    }
  }

  async #openSource(): Promise<SourceReader<unknown>> {
    const source = await this.#open({
      attempt: this.#failures + 1,
      delivered: this.#delivered,
      last: this.#last,
      signal: this.#abort.signal,
    });
    this.#isHopeless = true;
    const found = checkOneSource("retry", source, "what open gives");
    this.#isHopeless = false;
    return new SourceReader(found, "source of retry");
  }

  /** Waits for the next attempt; throws if there is none. */
  async #recover(reason: unknown): Promise<void> {
    if (this.#isHopeless) throw reason;
    this.#failures++;
    if (++this.#totalFailures >= this.#plan.totalAttempts) throw reason;
    if (!await mayRetry(this.#plan, this.#failures, reason)) throw reason;
    if (this.#ending !== undefined) return;
    await new Promise<void>((resolve) => {
      this.#timer = setTimeout(resolve, waitMsAfter(this.#plan, this.#failures));
    });
  }

  async #closeAndThrow(reason: unknown): Promise<void> {
    const source = this.#source;
    this.#end(reason);
    const cancelled = source?.cancel(reason);
    // Afterwards: a body that sees the signal first would fail rather than be cancelled.
    this.#abort.abort(reason);
    await cancelled;
  }

  #end(reason: unknown): void {
    this.#ending = { reason };
    this.#source = undefined;
    clearTimeout(this.#timer);
    this.#unwatch?.();
    this.#endPull?.();
  }
}
