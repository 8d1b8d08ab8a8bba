import type { UnderlyingSink } from "../src/web_types.ts";

const closedError = () => new TypeError("Cannot write: the stream is closed");

/** The underlying sink that feeds a `WritableStream`, as long as that wants more, as a pipe would. */
export class WebSink implements UnderlyingSink {
  readonly #writer: WritableStreamDefaultWriter<unknown>;
  #controller!: WritableStreamDefaultController;
  #isOver = false;
  #isClosed = false;
  /** Whether it has refused a chunk. */
  #hasLost = false;
  #isDiscarding = false;
  #endWait: (() => void) | undefined;

  constructor(writable: WritableStream<unknown>) {
    this.#writer = writable.getWriter();
  }

  start(controller: WritableStreamDefaultController): void {
    this.#controller = controller;
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
    controller.signal.addEventListener("abort", () => this.discard());
  }

  /** Writes once there is room, and does not wait for more than that. */
  write(chunk: unknown): void | Promise<void> {
    if (this.#isDiscarding) return;
    if (this.#isClosed) throw closedError();
    if (this.#isOver || !(this.#writer.desiredSize! > 0)) {
      return this.#wait(() => this.#writer.ready).then(() => this.write(chunk));
    }
    this.#writer.write(chunk).catch(() => this.#hasLost = true);
  }

  async close(): Promise<void> {
    if (this.#isDiscarding || this.#isClosed) return;
    await this.#wait(() => this.#writer.close());
    const { aborted, reason } = this.#controller.signal;
    if (aborted) await this.abort(reason);
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

  /** Waits until `work` has succeeded or the rest is discarded: the controller says what failed. */
  #wait(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#endWait = resolve;
      work().then(resolve, () => {});
    });
  }

  #release(): void {
    this.#isOver = true;
    this.#writer.releaseLock();
  }
}
