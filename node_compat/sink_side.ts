import { Writable } from "node:stream";
import { awaitable, whenSettled } from "../src/awaitable.ts";
import type { UnderlyingSink } from "../src/web_types.ts";
import { type Callback, callBack } from "./call_back.ts";
import { toError, toReason } from "../src/source/stage_error.ts";

/** What node answers a write with that it drops when it is destroyed. */
const destroyedError = (): Error =>
  Object.assign(new Error("Cannot call write after a stream was destroyed"), {
    code: "ERR_STREAM_DESTROYED",
  });

/** Drives an underlying sink for a node stream: `_write` and `_final` of the one are `write` and `close` of the other. */
export class SinkSide implements WritableStreamDefaultController {
  readonly #sink: UnderlyingSink;
  readonly #fail: (reason: unknown) => void;
  readonly #abortsAtOnce: boolean;
  readonly #abortController = new AbortController();
  #starting: PromiseLike<unknown> | undefined;
  /** Of the call that runs. */
  #callback: Callback | undefined;
  /** How many chunks it was given. */
  count = 0;
  /** Whether the sink was asked to close. */
  isClosing = false;
  #isCleanlyDestroyed = false;
  /** Whether the sink has failed. */
  hasFailed = false;
  /** What the sink has failed with by itself. */
  #failure: { readonly reason: unknown } | undefined;
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
    this.#failure = { reason };
    this.#fail(reason);
  }

  /** Answers `_write`. */
  write(chunk: unknown, callback: Callback): void {
    this.count++;
    this.#run(() => this.#sink.write?.(chunk, this), callback);
  }

  /** Answers `_final`. */
  close(callback: Callback): void {
    this.isClosing = true;
    this.#run(() => this.#sink.close?.(), callback);
  }

  /** Answers `_destroy`: aborts what has not been closed. */
  destroy(error: Error | null, callback: Callback): void {
    const isBusy = this.#callback !== undefined;
    if (this.isClosing && !isBusy) return callback(error);
    this.#isCleanlyDestroyed = error === null;
    if (this.hasFailed) {
      // What waits for a sink that has failed waits no longer.
      if (isBusy) this.#abortController.abort(error ?? undefined);
      return callback(error);
    }
    const reason = toReason(error ?? undefined);
    const end = (): void => {
      // What waits for its end knows by the signal.
      if (this.isClosing && !this.#abortsAtOnce) return callback(error);
      callBack(() => this.#sink.abort?.(reason), (failure) => callback(error ?? failure));
    };
    const waits = isBusy && !this.#abortsAtOnce;
    if (waits) this.#whenFree = end;
    this.#abortController.abort(reason);
    if (!waits) end();
  }

  #run(method: () => unknown, callback: Callback): void {
    this.#callback = callback;
    const started = this.#starting?.then(() => {
      if (this.#failure !== undefined) throw this.#failure.reason;
    });
    callBack(method, (error) => this.#answer(error), started);
  }

  #answer(error?: Error | null): void {
    const callback = this.#callback;
    if (callback === undefined) return;
    this.#callback = undefined;
    const whenFree = this.#whenFree;
    this.#whenFree = undefined;
    if (error && whenFree === undefined) this.hasFailed = true;
    // What ended for no other reason than that it was to be dropped is answered as node answers what it drops.
    const isDropped = this.#isCleanlyDestroyed && error === this.signal.reason;
    callback(isDropped ? destroyedError() : error);
    whenFree?.();
  }
}

/** Makes an object-mode `Writable` of an underlying sink, which is aborted once its write has settled, or at once. */
export function sinkWritable(
  sink: UnderlyingSink,
  highWaterMark: number,
  abortsAtOnce = false,
): Writable {
  const stream: Writable = new Writable({
    objectMode: true,
    highWaterMark,
    write: (chunk, _encoding, callback) => side.write(chunk, callback),
    final: (callback) => side.close(callback),
    destroy: (error, callback) => side.destroy(error, callback),
  });
  const side = new SinkSide(sink, (reason) => stream.destroy(toError(reason)), abortsAtOnce);
  side.start();
  return stream;
}
