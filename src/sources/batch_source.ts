import { throwTypeError } from "../errors.ts";
import { findSource } from "../source/find_source.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { AbortableContext, type StageContext } from "../kernels/stage_context.ts";
import { awaitable } from "../awaitable.ts";
import { checkResult } from "../check_result.ts";
import { awaitChunk } from "../source/open_source.ts";

/** What `reader` reads; promises in an iterable are awaited. */
export type ReaderSource<T> =
  | (Iterable<T | PromiseLike<T>> & object)
  | AsyncIterable<T>
  | BatchFunction<T>;

/** The chunks that a `BatchFunction` has next; `null` or `undefined` at the end. */
export type Batch<T> = Iterable<T | PromiseLike<T>> | null | undefined;

/**
 * A source that is asked for one batch at a time, and only when chunks are wanted.
 *
 * It gets the `batchSize` of the reader's options, which it may heed or not, and a context with a
 * `signal` that aborts when the stream is cancelled. An empty batch means "none yet": it is asked again a little later.
 */
export type BatchFunction<T> = (
  batchSize: number,
  context: StageContext,
) => Batch<T> | PromiseLike<Batch<T>>;

type Controller<T> = ReadableStreamDefaultController<T>;

/** A chunk that is iterable itself is most likely one that was not put in an array. */
function isBatch(value: unknown): value is Iterable<unknown> {
  return value !== null && typeof value === "object" && !ArrayBuffer.isView(value) &&
    typeof (value as Iterable<unknown>)[Symbol.iterator] === "function";
}

/** The underlying source that asks a function for batches. */
export class BatchSource<T> implements UnderlyingDefaultSource<T> {
  readonly #next: BatchFunction<T>;
  readonly #batchSize: number;
  readonly #context = new AbortableContext();
  #isCancelled = false;
  /** There while its chunks are given. */
  #batch: IterableSource<T> | undefined;
  #endWait: (() => void) | undefined;

  constructor(next: BatchFunction<T>, batchSize: number) {
    this.#next = next;
    this.#batchSize = batchSize;
  }

  pull(controller: Controller<T>): void | PromiseLike<void> {
    const batch = this.#ask();
    return isPromiseLike(batch)
      ? Promise.resolve(batch).then((value) => this.#accept(value as Batch<T>, controller))
      : this.#accept(batch, controller);
  }

  cancel(reason: unknown): void {
    this.#isCancelled = true;
    this.#batch?.cancel(reason);
    this.#endWait?.();
    this.#context.stop(reason);
  }

  #accept(batch: Batch<T>, controller: Controller<T>): void | Promise<void> {
    const given = this.#give(batch, controller);
    if (given === false) return this.#pullLater(controller);
    if (given !== true) return given.then(() => {});
  }

  /** Tells whether there was anything to give, the end included; later where promises are. */
  #give(batch: Batch<T>, controller: Controller<T>): boolean | Promise<boolean> {
    if (this.#isCancelled) return true;
    if (batch === null || batch === undefined) {
      controller.close();
      return true;
    }
    if (!isBatch(batch)) {
      const need = "an iterable of chunks, null or undefined";
      throwTypeError("read from source", "a batch", need, batch);
    }
    let isEmpty = true;
    this.#batch = new IterableSource<T>(batch[Symbol.iterator](), Infinity, false);
    const given = this.#batch.pull({
      enqueue: (chunk) => {
        isEmpty = false;
        controller.enqueue(chunk);
      },
      close: () => this.#batch = undefined,
    });
    return given === undefined ? !isEmpty : given.then(() => true);
  }

  /** Asks again, each time after the event loop has had its turn: a stream that got nothing would not. */
  async #pullLater(controller: Controller<T>): Promise<void> {
    do {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve);
        this.#endWait = (): void => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#endWait = undefined;
      if (this.#isCancelled) return;
    } while (!await this.#give(await this.#ask(), controller));
  }

  #ask(): Batch<T> | PromiseLike<Batch<T>> {
    return this.#next(this.#batchSize, this.#context);
  }
}

/** The underlying source behind `reader`, of whichever API: one read takes `batchSize` chunks. */
export function underlyingSource<T>(
  source: ReaderSource<T>,
  batchSize: number,
): UnderlyingDefaultSource<T> {
  if (typeof source === "function") {
    // Each call would begin again, forever.
    if (/GeneratorFunction\]$/.test(Object.prototype.toString.call(source))) {
      throw new TypeError(
        "Cannot create reader: source is a generator function; call it, as in reader(numbers())",
      );
    }
    return new BatchSource(source, batchSize);
  }
  const action = "create reader";
  const found = findSource(action, source, "source");
  if (found === undefined) {
    throwTypeError(action, "source", "an iterable, an async iterable or a function", source);
  }
  const iterator = found.iterate() as Iterator<T> | AsyncIterator<T>;
  return new IterableSource(iterator, batchSize, found.isAsync);
}

type Taker<T> = Pick<ReadableStreamDefaultController<T>, "close" | "enqueue">;
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

  pull(controller: Taker<T>): void | Promise<void> {
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

  async #pullRest(controller: Taker<T>, chunk: Promise<Result>, count: number): Promise<void> {
    const iterator = this.#iterator as Iterator<T>;
    let result = await chunk;
    while (this.#accept(result.done, result.value as T, controller) && count-- > 0) {
      const { done, value } = checkResult(iterator.next());
      const next = done ? undefined : awaitable(value);
      result = next === undefined ? { done, value } : await awaitChunk(iterator, next);
    }
  }

  async #pullAsync(controller: Taker<T>): Promise<void> {
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
  #accept(done: boolean | undefined, value: T, controller: Taker<T>): boolean {
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
