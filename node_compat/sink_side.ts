import { isPromiseLike } from "../src/is_promise_like.ts";
import type { UnderlyingSink } from "../src/web_types.ts";
import { type Callback, callBack } from "./call_back.ts";
import { toReason } from "./stage_error.ts";

/** Drives an underlying sink for a node stream: `_write` and `_final` of the one are `write` and `close` of the other. */
export class SinkSide implements WritableStreamDefaultController {
  readonly #sink: UnderlyingSink;
  readonly #fail: (reason: unknown) => void;
  readonly #abortController = new AbortController();
  #starting: PromiseLike<unknown> | undefined;
  #isBusy = false;
  #isClosing = false;
  #hasFailed = false;
  #whenFree: (() => void) | undefined;

  /** Starts the sink, which may throw; `fail` is called when it fails by itself. */
  constructor(sink: UnderlyingSink, fail: (reason: unknown) => void) {
    this.#sink = sink;
    this.#fail = fail;
    const started: unknown = sink.start?.(this);
    if (!isPromiseLike(started)) return;
    this.#starting = started;
    started.then(() => this.#starting = undefined, (reason) => this.error(reason));
  }

  /** Aborts when the stream is destroyed before its end. */
  get signal(): AbortSignal {
    return this.#abortController.signal;
  }

  /** Fails the stream. */
  error(reason?: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
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

  /** Answers `_destroy`: aborts what has not been closed, once the write that runs has settled. */
  destroy(error: Error | null, callback: Callback): void {
    if (this.#hasFailed || this.#isClosing && !this.#isBusy) return callback(error);
    const reason = toReason(error ?? undefined);
    const end = (): void => {
      if (this.#isClosing) return callback(error);
      callBack(() => this.#sink.abort?.(reason), (failure) => callback(error ?? failure));
    };
    this.#abortController.abort(reason);
    if (this.#isBusy) this.#whenFree = end;
    else end();
  }

  #run(method: () => unknown, callback: Callback): void {
    this.#isBusy = true;
    callBack(method, (error) => {
      this.#isBusy = false;
      if (this.#whenFree !== undefined) return this.#whenFree();
      if (error) this.#hasFailed = true;
      callback(error);
    }, this.#starting);
  }
}
