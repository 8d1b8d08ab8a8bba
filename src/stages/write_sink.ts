import { isPromiseLike } from "../is_promise_like.ts";
import { LazyContext, type StageContext } from "../kernels/stage_context.ts";
import type { UnderlyingSink } from "../web_types.ts";

interface Waiter {
  /** How many writes may be in flight for it to go on. */
  readonly limit: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** What a `WriteSink` calls: each but `write` may be missing. */
export interface WriteMethods<T> {
  readonly write: (chunk: T, index: number, context: StageContext) => unknown;
  readonly close?: () => void | PromiseLike<void>;
  readonly abort?: (reason: unknown) => void | PromiseLike<void>;
  readonly release?: () => void | PromiseLike<void>;
}

/** The underlying sink that keeps several writes in flight. */
export class WriteSink<T> implements UnderlyingSink<T> {
  readonly #methods: WriteMethods<T>;
  readonly #concurrency: number;
  readonly #context = new LazyContext(() => this.#controller?.signal);
  #controller: WritableStreamDefaultController | undefined;
  #index = 0;
  #inFlight = 0;
  #failure: { readonly error: unknown } | undefined;
  #lateFailure: { readonly error: unknown } | undefined;
  #isAborting = false;
  #isReleased = false;
  #waiter: Waiter | undefined;

  constructor(methods: WriteMethods<T>, concurrency: number) {
    this.#methods = methods;
    this.#concurrency = concurrency;
  }

  start(controller: WritableStreamDefaultController): void {
    this.#controller = controller;
  }

  write(chunk: T): void | Promise<void> {
    // Known already, but the stream only fails once those in flight have settled.
    if (this.#failure !== undefined) return this.#wait(0);
    const { write } = this.#methods;
    let result: unknown;
    try {
      result = write(chunk, this.#index++, this.#context);
    } catch (error) {
      if (this.#inFlight === 0) return this.#fail(error);
      this.#failure = { error };
      return this.#wait(0);
    }
    if (!isPromiseLike(result)) return;
    this.#inFlight++;
    // Whatever kind of promise it is: one whose `then` throws is rejected.
    Promise.resolve(result).then(() => this.#settle(), (error) => {
      // A write that fails while the stream is being aborted says so, but `abort` is called anyway.
      if (this.#controller!.signal.aborted) this.#lateFailure ??= { error };
      else {
        this.#failure ??= { error };
        this.#context.stop(error);
      }
      this.#settle();
    });
    if (this.#inFlight === this.#concurrency) return this.#wait(this.#concurrency - 1);
  }

  close(): void | PromiseLike<void> {
    const close = (): void | PromiseLike<void> => {
      const { close, abort } = this.#methods;
      // Given up while it waited: what was written must not look complete.
      const { aborted, reason } = this.#controller!.signal;
      return aborted ? abort?.(reason) : close?.();
    };
    return this.#thenRelease(this.#inFlight === 0 ? undefined : this.#wait(0), close);
  }

  abort(reason: unknown): void | PromiseLike<void> {
    const failure = this.#failure;
    this.#isAborting = true;
    this.#context.stop(reason);
    const abort = (): void | PromiseLike<void> => {
      if (failure !== undefined) throw failure.error;
      const { abort } = this.#methods;
      return abort?.(reason);
    };
    return this.#thenRelease(this.#inFlight === 0 ? undefined : this.#wait(0), abort);
  }

  #wait(limit: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiter = { limit, resolve, reject });
  }

  #settle(): void {
    this.#inFlight--;
    const waiter = this.#waiter;
    if (this.#failure !== undefined && !this.#isAborting) {
      if (this.#inFlight > 0) return;
      const { error } = this.#failure;
      const fail = () =>
        waiter === undefined ? this.#controller!.error(error) : waiter.reject(error);
      const released = this.#release();
      if (isPromiseLike(released)) released.then(fail, fail);
      else fail();
    } else if (waiter !== undefined && this.#inFlight <= waiter.limit) {
      this.#waiter = undefined;
      if (this.#lateFailure === undefined || this.#isAborting) waiter.resolve();
      else waiter.reject(this.#lateFailure.error);
    }
  }

  /** Fails a write; what is to be released is, first. */
  #fail(error: unknown): Promise<never> {
    const fail = () => {
      throw error;
    };
    return Promise.resolve(this.#release()).then(fail, fail);
  }

  /** Ends the writing by `end`, and then releases; the first failure counts. */
  #thenRelease(
    before: PromiseLike<void> | undefined,
    end: () => void | PromiseLike<void>,
  ): void | PromiseLike<void> {
    if (this.#methods.release === undefined) return before === undefined ? end() : before.then(end);
    return Promise.resolve(before).then(end).then(
      () => this.#release(),
      async (error) => {
        await Promise.resolve(this.#release()).catch(() => {});
        throw error;
      },
    );
  }

  /** Calls `release`, once; what it throws is a rejection. */
  #release(): void | Promise<void> {
    const { release } = this.#methods;
    if (this.#isReleased || release === undefined) return;
    this.#isReleased = true;
    return (async () => await release())();
  }
}
