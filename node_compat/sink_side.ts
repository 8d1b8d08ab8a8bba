import { awaitable, whenSettled } from "../src/awaitable.ts";
import type { UnderlyingSink } from "../src/web_types.ts";
import { type Callback, callBack } from "./call_back.ts";
import { toReason } from "./stage_error.ts";

/** Drives an underlying sink for a node stream: `_write` and `_final` of the one are `write` and `close` of the other. */
export class SinkSide implements WritableStreamDefaultController {
  readonly #sink: UnderlyingSink;
  readonly #fail: (reason: unknown) => void;
  readonly #abortsAtOnce: boolean;
  readonly #abortController = new AbortController();
  #starting: PromiseLike<unknown> | undefined;
  #isBusy = false;
  #isClosing = false;
  /** Whether the sink has failed. */
  hasFailed = false;
  #whenFree: (() => void) | undefined;

  /**
   * `fail` is called when the sink fails by itself. Destroying aborts the sink once the write that runs has settled,
   * or at once.
   */
  constructor(sink: UnderlyingSink, fail: (reason: unknown) => void, abortsAtOnce = false) {
    this.#sink = sink;
    this.#fail = fail;
    this.#abortsAtOnce = abortsAtOnce;
  }

  /** Starts the sink, which may throw. */
  start(): void {
    const started = awaitable(this.#sink.start?.(this));
    if (started === undefined) return;
    this.#starting = started;
    whenSettled(started, () => this.#starting = undefined, (reason) => this.error(reason));
  }

  /** Aborts when the stream is destroyed before its end. */
  get signal(): AbortSignal {
    return this.#abortController.signal;
  }

  /** Fails the stream. */
  error(reason?: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.#fail(reason);
  }

  /** Answers `_write`. */
  write(chunk: unknown, callback: Callback): void {
    this.#run(() => this.#sink.write?.(chunk, this), callback);
  }

  /** Answers `_final`. */
  close(callback: Callback): void {
    this.#isClosing = true;
    this.#run(() => this.#sink.close?.(), callback);
  }

  /** Answers `_destroy`: aborts what has not been closed. */
  destroy(error: Error | null, callback: Callback): void {
    if (this.hasFailed || this.#isClosing && !this.#isBusy) return callback(error);
    const reason = toReason(error ?? undefined);
    const end = (): void => {
      if (this.#isClosing) return callback(error);
      callBack(() => this.#sink.abort?.(reason), (failure) => callback(error ?? failure));
    };
    this.#abortController.abort(reason);
    if (this.#isBusy && !this.#abortsAtOnce) this.#whenFree = end;
    else end();
  }

  #run(method: () => unknown, callback: Callback): void {
    this.#isBusy = true;
    callBack(method, (error) => {
      this.#isBusy = false;
      if (this.#whenFree !== undefined) return this.#whenFree();
      if (error) this.hasFailed = true;
      callback(error);
    }, this.#starting);
  }
}
