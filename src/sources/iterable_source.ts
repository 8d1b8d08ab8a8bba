import { awaitable } from "../awaitable.ts";
import { checkResult } from "../check_result.ts";
import { awaitChunk } from "../source/open_source.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";

type Controller<T> = Pick<ReadableStreamDefaultController<T>, "close" | "enqueue">;
type Result = IteratorResult<unknown, unknown>;

/** The underlying source that reads an iterator, `batchSize` chunks at a time. */
export class IterableSource<T> implements UnderlyingDefaultSource<T> {
  readonly #iterator: Iterator<T | PromiseLike<T>> | AsyncIterator<T>;
  readonly #batchSize: number;
  readonly #isAsync: boolean;
  #isCancelled = false;
  #isWaiting = false;

  constructor(
    iterator: Iterator<T | PromiseLike<T>> | AsyncIterator<T>,
    batchSize: number,
    isAsync: boolean,
  ) {
    this.#iterator = iterator;
    this.#batchSize = batchSize;
    this.#isAsync = isAsync;
  }

  pull(controller: Controller<T>): void | Promise<void> {
    if (this.#isAsync) return this.#pullAsync(controller);
    const iterator = this.#iterator as Iterator<T>;
    for (let count = this.#batchSize - 1; count >= 0; count--) {
      const { done, value } = checkResult(iterator.next());
      const chunk = done ? undefined : awaitable(value);
      if (chunk !== undefined) {
        return this.#pullRest(controller, awaitChunk(iterator, chunk), count);
      }
      if (!this.#accept(done, value as T, controller)) return;
    }
  }

  async #pullRest(controller: Controller<T>, chunk: Promise<Result>, count: number): Promise<void> {
    const iterator = this.#iterator as Iterator<T>;
    let result = await chunk;
    while (this.#accept(result.done, result.value as T, controller) && count-- > 0) {
      const { done, value } = checkResult(iterator.next());
      const next = done ? undefined : awaitable(value);
      result = next === undefined ? { done, value } : await awaitChunk(iterator, next);
    }
  }

  async #pullAsync(controller: Controller<T>): Promise<void> {
    const iterator = this.#iterator as AsyncIterator<T>;
    for (let count = 0; count < this.#batchSize; count++) {
      this.#isWaiting = true;
      const result = await iterator.next();
      this.#isWaiting = false;
      const { done, value } = checkResult(result);
      if (!this.#accept(done, value, controller)) return;
    }
  }

  cancel(reason: unknown): void | Promise<void> {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const returned = this.#iterator.return?.(reason);
    if (!this.#isAsync || returned === undefined) return;
    const closed = Promise.resolve(returned).then(() => {});
    // A generator answers only after the `next()` it hangs in, which may be never: do not wait for that.
    if (!this.#isWaiting) return closed;
    closed.catch(() => {});
  }

  /** Tells whether to go on. */
  #accept(done: boolean | undefined, value: T, controller: Controller<T>): boolean {
    if (this.#isCancelled) return false;
    if (done) {
      controller.close();
      return false;
    }
    try {
      controller.enqueue(value);
    } catch (error) {
      // The stream has failed by itself, so no other code will close the iterator. This error is the one that counts.
      new Promise((resolve) => resolve(this.cancel(error))).catch(() => {});
      throw error;
    }
    // Whatever receives the chunk may destroy the node stream.
    return !this.#isCancelled;
  }
}
