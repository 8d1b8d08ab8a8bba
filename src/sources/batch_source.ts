import { throwTypeError } from "../errors.ts";
import { findSource } from "../source/find_source.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { AbortableContext, type StageContext } from "../kernels/stage_context.ts";
import { RelayedSource } from "./relayed_source.ts";
import { SourceReader } from "./source_reader.ts";

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
class BatchSource<T> implements UnderlyingDefaultSource<T> {
  readonly #next: BatchFunction<T>;
  readonly #batchSize: number;
  readonly #context = new AbortableContext();
  #isCancelled = false;
  /** There while its chunks are given. */
  #batch: RelayedSource<T> | undefined;
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

  cancel(reason: unknown): void | Promise<void> {
    this.#isCancelled = true;
    const cancelled = this.#batch?.cancel(reason);
    this.#endWait?.();
    this.#context.stop(reason);
    return cancelled;
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
    const taker = {
      enqueue(chunk: T) {
        isEmpty = false;
        controller.enqueue(chunk);
      },
      close: () => this.#batch = undefined,
      error(reason: unknown) {
        isEmpty = false;
        controller.error(reason);
      },
    };
    const found = findSource("read from source", batch, "a batch")!;
    this.#batch = new RelayedSource(new SourceReader<T>(found), Infinity);
    this.#batch.start(taker);
    const given = this.#batch.pull(taker);
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
  return new RelayedSource(new SourceReader<T>(found), batchSize);
}
