import { setEndMeaning } from "../kernels/end_meaning.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { type DirectRead, type PendingRead, setDirectRead } from "../source/direct_read.ts";

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
 * too. With `gathers` a read is answered by a promise, so that what comes in one go is read in one. A pipeline reads past
 * the stream, which keeps no chunk.
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
  return stream;
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
