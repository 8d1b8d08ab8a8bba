import { setEndMeaning } from "../kernels/end_meaning.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { asyncDispose } from "../async_dispose.ts";
import {
  type DirectRead,
  isPending,
  type PendingRead,
  setDirectRead,
} from "../source/direct_read.ts";
import { openStream } from "../source/open_source.ts";
import { sourceIterator } from "../source/source_iterator.ts";

/** An underlying source that may know what it waits for. */
interface SayingSource<T> extends UnderlyingDefaultSource<T> {
  waiting?(): string | undefined;
}

/** A stream that a run can name, and of which it can say what it waits for. */
export function namedStream<T>(
  name: string,
  source: SayingSource<T>,
  strategy: QueuingStrategy<T> = { highWaterMark: 0 },
): ReadableStream<T> {
  const stream = new ReadableStream<T>(source, strategy);
  setEndMeaning(stream, { name, waiting: () => source.waiting?.() });
  return stream;
}

/**
 * Makes the stream of a source that gives one chunk for each `pull`, by the controller it started with, and fails by it
 * too. With `gathers` a read is answered by a promise, so that what comes in one go is read in one. A pipeline and `for await` read past the stream, which keeps no chunk.
 */
export function directStream<T>(
  source: SayingSource<T>,
  name: string,
  gathers = false,
): ReadableStream<T> {
  const direct = new DirectSource(source, gathers);
  const stream = new ReadableStream<T>(direct, { highWaterMark: 0 });
  setDirectRead(stream, direct);
  setEndMeaning(stream, { name, waiting: () => source.waiting?.() });
  const values = (options: { preventCancel?: boolean } = {}) =>
    direct.isClear
      ? new DirectIterator<T>(stream.getReader(), direct, options.preventCancel ?? false)
      : ReadableStream.prototype.values?.call(stream, options) ??
        sourceIterator(openStream(stream));
  const property = { value: values, configurable: true, writable: true };
  return Object.defineProperties(stream, { values: property, [Symbol.asyncIterator]: property });
}

const ended = { done: true, value: undefined } as const;

/** The iterator of a stream that is read past: as the stream's own, without its promises. */
class DirectIterator<T> implements AsyncIterableIterator<T, undefined> {
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

  next(): Promise<IteratorResult<T, undefined>> {
    return this.#inTurn(this.#read);
  }

  return(reason?: unknown): Promise<IteratorResult<T, undefined>> {
    return this.#inTurn(() => this.#end(reason));
  }

  async [asyncDispose](): Promise<void> {
    await this.return();
  }

  /** One call at a time, each when those before it have answered. */
  #inTurn(act: () => Promise<IteratorResult<T, undefined>>): Promise<IteratorResult<T, undefined>> {
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

  readonly #read = (): Promise<IteratorResult<T, undefined>> => {
    if (this.#isFinished) return Promise.resolve(ended);
    const result = this.#source.next();
    if (isPending(result)) {
      return new Promise<IteratorResult<unknown>>((resolve, reject) => result.then(resolve, reject))
        .then(this.#onResult, this.#onFailure);
    }
    return Promise.resolve(this.#onResult(result));
  };

  readonly #onResult = (result: IteratorResult<unknown, unknown>): IteratorResult<T, undefined> => {
    if (result.done) this.#finish();
    return result as IteratorResult<T, undefined>;
  };

  readonly #onFailure = (reason: unknown): never => {
    this.#finish();
    throw reason;
  };

  async #end(reason: unknown): Promise<IteratorResult<T, undefined>> {
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

type Controller<T> = ReadableStreamDefaultController<T>;
type Result = IteratorResult<unknown, unknown>;

/** What a read past the stream is answered by. */
interface Answer {
  onFulfilled(this: void, result: Result): unknown;
  onRejected(this: void, reason: unknown): unknown;
}

interface Failure {
  readonly reason: unknown;
}

/** An underlying source that is read by its stream, or past it: by one of them at a time. */
class DirectSource<T> implements UnderlyingDefaultSource<T>, Controller<T>, DirectRead {
  readonly #source: UnderlyingDefaultSource<T>;
  readonly #gathers: boolean;
  #controller!: Controller<T>;
  /** Whether a read past the stream is pending. */
  #isAsked = false;
  /** What it was answered at once. */
  #result: Result | undefined;
  #answer: Answer | undefined;
  /** There while what was asked for past the stream is on its way, also if that reader has left. */
  #pulled: void | PromiseLike<void> = undefined;
  /** Whether what the stream has asked for is on its way. */
  #isPulled = false;
  #failure: Failure | undefined;
  #isOver = false;
  readonly #pending: PendingRead = {
    then: (onFulfilled, onRejected) => void (this.#answer = { onFulfilled, onRejected }),
  };

  constructor(source: UnderlyingDefaultSource<T>, gathers: boolean) {
    this.#source = source;
    this.#gathers = gathers;
  }

  // What the stream asks.

  start(controller: Controller<T>): void {
    this.#controller = controller;
    this.#source.start?.(this);
  }

  pull(): void | PromiseLike<void> {
    this.#isPulled = true;
    // What a reader past the stream has left behind comes to the stream.
    return this.#pulled ?? this.#source.pull!(this);
  }

  cancel(reason: unknown): void | PromiseLike<void> {
    this.#isOver = true;
    const cancelled = this.#source.cancel?.(reason);
    this.#give({ done: true, value: undefined });
    return cancelled;
  }

  // What reads past it.

  get isClear(): boolean {
    return !this.#isPulled && this.#pulled === undefined && this.#controller.desiredSize === 0;
  }

  /** Whether a read is pending. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  next(): Result | PendingRead {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    if (this.#isOver) return { done: true, value: undefined };
    this.#isAsked = true;
    const pulled = this.#source.pull!(this);
    const result = this.#result;
    this.#result = undefined;
    if (result !== undefined) return result;
    const failure = this.#failure as Failure | undefined;
    if (failure !== undefined) return Promise.reject(failure.reason);
    this.#pulled = pulled;
    if (!this.#gathers) return this.#pending;
    return new Promise((onFulfilled, onRejected) => this.#answer = { onFulfilled, onRejected });
  }

  release(): void {
    this.#isAsked = false;
    this.#answer = undefined;
  }

  // What the source does.

  get desiredSize(): number | null {
    return this.#controller.desiredSize;
  }

  enqueue(chunk?: T): void {
    if (this.#isAsked) return this.#give({ done: false, value: chunk as T });
    this.#isPulled = false;
    this.#pulled = undefined;
    this.#controller.enqueue(chunk as T);
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.close();
    this.#give({ done: true, value: undefined });
  }

  error(reason?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = { reason };
    this.#controller.error(reason);
    const answer = this.#answer;
    this.release();
    answer?.onRejected(reason);
  }

  #give(result: Result): void {
    if (!this.#isAsked) return;
    const answer = this.#answer;
    this.release();
    this.#pulled = undefined;
    if (answer === undefined) this.#result = result;
    else answer.onFulfilled(result);
  }
}
