import { asyncDispose } from "../async_dispose.ts";
import { isPending } from "../source/direct_read.ts";
import type { DirectSource } from "./direct_source.ts";

type Result<T> = IteratorResult<T, undefined>;

const ended = { done: true, value: undefined } as const;

/** The iterator of a stream that is read past: as the stream's own, without its promises. */
export class DirectIterator<T> implements AsyncIterableIterator<T, undefined> {
  readonly #reader: ReadableStreamDefaultReader<T>;
  readonly #source: DirectSource<T>;
  readonly #preventCancel: boolean;
  #isFinished = false;
  /** The last call, and how many wait for the one before them. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(
    reader: ReadableStreamDefaultReader<T>,
    source: DirectSource<T>,
    preventCancel: boolean,
  ) {
    this.#reader = reader;
    this.#source = source;
    this.#preventCancel = preventCancel;
    // A failure is what `next` rejects with.
    reader.closed.catch(() => {});
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<T>> {
    return this.#inTurn(this.#read);
  }

  return(reason?: unknown): Promise<Result<T>> {
    return this.#inTurn(() => this.#end(reason));
  }

  async [asyncDispose](): Promise<void> {
    await this.return();
  }

  /** One call at a time, each when those before it have answered. */
  #inTurn(act: () => Promise<Result<T>>): Promise<Result<T>> {
    if (this.#waiting === 0 && !this.#source.isAsked) return this.#last = act();
    this.#waiting++;
    const actLater = () => {
      this.#waiting--;
      return act();
    };
    const answer = this.#last.then(actLater, actLater);
    this.#last = answer;
    return answer;
  }

  readonly #read = (): Promise<Result<T>> => {
    if (this.#isFinished) return Promise.resolve(ended);
    const result = this.#source.next();
    if (isPending(result)) {
      return new Promise<IteratorResult<unknown>>((resolve, reject) => result.then(resolve, reject))
        .then(this.#onResult, this.#onFailure);
    }
    return Promise.resolve(this.#onResult(result));
  };

  readonly #onResult = (result: IteratorResult<unknown, unknown>): Result<T> => {
    if (result.done) this.#finish();
    return result as Result<T>;
  };

  readonly #onFailure = (reason: unknown): never => {
    this.#finish();
    throw reason;
  };

  async #end(reason: unknown): Promise<Result<T>> {
    const answer = { done: true, value: reason as undefined } as const;
    if (this.#isFinished) return answer;
    const cancelled = this.#preventCancel ? undefined : this.#reader.cancel(reason);
    this.#finish();
    await cancelled;
    return answer;
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#reader.releaseLock();
    this.#source.release();
  }
}
