import type { UnderlyingDefaultSource, UnderlyingSink } from "../src/web_types.ts";

/** The underlying source that reads a `ReadableStream`, one chunk a pull, and lets go of it at its end. */
export class WebSource implements UnderlyingDefaultSource {
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  readonly #onEnd: (() => void) | undefined;
  /** Whether a read waits for its chunk. */
  isReading = false;

  /** `onEnd` is called after the end was passed on. */
  constructor(readable: ReadableStream<unknown>, onEnd?: () => void) {
    this.#reader = readable.getReader();
    this.#onEnd = onEnd;
  }

  async pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
    this.isReading = true;
    const { done, value } = await this.#reader.read().catch((reason) => {
      this.#reader.releaseLock();
      throw reason;
    }).finally(() => this.isReading = false);
    if (!done) return controller.enqueue(value);
    this.#reader.releaseLock();
    controller.close();
    this.#onEnd?.();
  }

  async cancel(reason: unknown): Promise<void> {
    const cancelled = this.#reader.cancel(reason);
    this.#reader.releaseLock();
    await cancelled;
  }
}

const closedError = () => new TypeError("Cannot write: the stream is closed");

/** The underlying sink that feeds a `WritableStream`, as long as that wants more, as a pipe would. */
export class WebSink implements UnderlyingSink {
  readonly #writer: WritableStreamDefaultWriter<unknown>;
  #isOver = false;
  #isClosed = false;
  /** Whether it has refused a chunk. */
  #hasLost = false;
  #isDiscarding = false;
  #endWait: ((failure?: { readonly reason: unknown }) => void) | undefined;

  constructor(writable: WritableStream<unknown>) {
    this.#writer = writable.getWriter();
  }

  start(controller: WritableStreamDefaultController): void {
    // Every failure, of a write or of the close, arrives here once.
    this.#writer.closed.then(() => {
      this.#isClosed = true;
      this.#release();
      this.#endWait?.();
      // What was already being closed refuses a write and yet does not fail.
      if (this.#hasLost) controller.error(closedError());
    }, (reason) => {
      this.#release();
      controller.error(reason);
    });
    const { signal } = controller;
    signal.addEventListener("abort", () => this.#endWait?.({ reason: signal.reason }));
  }

  /** Writes once there is room, and waits for more only with bytes, which may change when a write has settled. */
  write(chunk: unknown): void | Promise<void> {
    if (this.#isDiscarding) return;
    if (this.#isClosed) throw closedError();
    if (this.#isOver || this.#writer.desiredSize! <= 0) {
      return this.#wait(() => this.#writer.ready, () => this.#hand(chunk));
    }
    const written = this.#hand(chunk);
    if (written !== undefined) return this.#wait(() => written);
  }

  async close(): Promise<void> {
    if (this.#isDiscarding || this.#isClosed) return;
    // A node stream that is destroyed asks no more how it was closed.
    await this.#wait(() => this.#writer.close()).catch(() => {});
  }

  /** Aborts what has not been closed. */
  async abort(reason: unknown): Promise<void> {
    if (this.#isOver) return;
    const aborted = this.#writer.abort(reason);
    this.#release();
    await aborted;
  }

  /** Takes whatever still comes and drops it, since it is no longer needed. */
  discard(): void {
    this.#isDiscarding = true;
    this.#endWait?.();
  }

  /** Answers what is to be waited for. */
  #hand(chunk: unknown): Promise<void> | undefined {
    const written = this.#writer.write(chunk);
    written.catch(() => this.#hasLost = true);
    return ArrayBuffer.isView(chunk) ? written : undefined;
  }

  /**
   * Waits until `work` has succeeded and `next` is done, the rest is discarded, or the sink is aborted: the controller
   * says what failed.
   */
  #wait(work: () => Promise<void>, next?: () => Promise<void> | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      this.#endWait = (failure) => {
        isOver = true;
        if (failure === undefined) resolve();
        else reject(failure.reason);
      };
      work().then(() => {
        const written = isOver ? undefined : next?.();
        if (written === undefined) resolve();
        else written.then(resolve, () => {});
      }, () => {});
    });
  }

  #release(): void {
    this.#isOver = true;
    this.#writer.releaseLock();
  }
}
