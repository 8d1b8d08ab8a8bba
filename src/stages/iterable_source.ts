import type { UnderlyingDefaultSource } from "../web_types.ts";

type Controller<T> = ReadableStreamDefaultController<T>;

/** The underlying source that reads an iterator, `batchSize` chunks at a time. */
export class IterableSource<T> implements UnderlyingDefaultSource<T> {
  readonly #iterator: Iterator<T> | AsyncIterator<T>;
  readonly #batchSize: number;
  readonly #isAsync: boolean;
  #isCancelled = false;

  constructor(iterator: Iterator<T> | AsyncIterator<T>, batchSize: number, isAsync: boolean) {
    this.#iterator = iterator;
    this.#batchSize = batchSize;
    this.#isAsync = isAsync;
  }

  pull(controller: Controller<T>): void | Promise<void> {
    if (this.#isAsync) return this.#pullAsync(controller);
    const iterator = this.#iterator as Iterator<T>;
    for (let count = 0; count < this.#batchSize; count++) {
      if (!this.#accept(iterator.next(), controller)) return;
    }
  }

  async #pullAsync(controller: Controller<T>): Promise<void> {
    const iterator = this.#iterator as AsyncIterator<T>;
    for (let count = 0; count < this.#batchSize; count++) {
      if (!this.#accept(await iterator.next(), controller)) return;
    }
  }

  async cancel(reason: unknown): Promise<void> {
    this.#isCancelled = true;
    await this.#iterator.return?.(reason);
  }

  /** Tells whether to go on. */
  #accept({ done, value }: IteratorResult<T>, controller: Controller<T>): boolean {
    if (this.#isCancelled) return false;
    if (done) {
      controller.close();
      return false;
    }
    try {
      controller.enqueue(value);
    } catch (error) {
      // Only `size` can have thrown; the stream has failed, and nobody else will close the iterator.
      this.cancel(error).catch(() => {});
      throw error;
    }
    return true;
  }
}
