import { isPromiseLike } from "../is_promise_like.ts";
import type { UnderlyingSink } from "../web_types.ts";

interface Waiter {
  /** How many writes may be in flight for it to go on. */
  readonly limit: number;
  resolve(): void;
  reject(error: unknown): void;
}

type Finish<Arguments extends unknown[]> =
  | ((...args: Arguments) => void | PromiseLike<void>)
  | undefined;

/** The underlying sink that keeps several writes in flight. */
export class WriteSink<T> implements UnderlyingSink<T> {
  readonly #write: (chunk: T, index: number) => unknown;
  readonly #concurrency: number;
  readonly #close: Finish<[]>;
  readonly #abort: Finish<[unknown]>;
  #index = 0;
  #inFlight = 0;
  #failure: { readonly error: unknown } | undefined;
  #isAborting = false;
  #waiter: Waiter | undefined;
  #controller: WritableStreamDefaultController | undefined;

  constructor(
    write: (chunk: T, index: number) => unknown,
    concurrency: number,
    close: Finish<[]>,
    abort: Finish<[unknown]>,
  ) {
    this.#write = write;
    this.#concurrency = concurrency;
    this.#close = close;
    this.#abort = abort;
  }

  start(controller: WritableStreamDefaultController): void {
    this.#controller = controller;
  }

  write(chunk: T): void | Promise<void> {
    // Known already, but the stream only fails once those in flight have settled.
    if (this.#failure !== undefined) return this.#wait(0);
    let result: unknown;
    try {
      result = this.#write(chunk, this.#index++);
    } catch (error) {
      if (this.#inFlight === 0) throw error;
      this.#failure = { error };
      return this.#wait(0);
    }
    if (!isPromiseLike(result)) return;
    this.#inFlight++;
    result.then(() => this.#settle(), (error) => {
      this.#failure ??= { error };
      this.#settle();
    });
    if (this.#inFlight === this.#concurrency) return this.#wait(this.#concurrency - 1);
  }

  close(): void | PromiseLike<void> {
    if (this.#inFlight === 0) return this.#close?.();
    return this.#wait(0).then(() => {
      // Given up while it waited: what was written is not to be taken for whole.
      const { aborted, reason } = this.#controller!.signal;
      return aborted ? this.#abort?.(reason) : this.#close?.();
    });
  }

  abort(reason: unknown): void | PromiseLike<void> {
    const failureBefore = this.#failure;
    this.#isAborting = true;
    const abort = (): void | PromiseLike<void> => {
      if (failureBefore !== undefined) throw failureBefore.error;
      return this.#abort?.(reason);
    };
    return this.#inFlight === 0 ? abort() : this.#wait(0).then(abort);
  }

  #wait(limit: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiter = { limit, resolve, reject });
  }

  #settle(): void {
    this.#inFlight--;
    const waiter = this.#waiter;
    if (this.#failure !== undefined && !this.#isAborting) {
      if (this.#inFlight > 0) return;
      if (waiter === undefined) this.#controller!.error(this.#failure.error);
      else waiter.reject(this.#failure.error);
    } else if (waiter !== undefined && this.#inFlight <= waiter.limit) {
      this.#waiter = undefined;
      waiter.resolve();
    }
  }
}
