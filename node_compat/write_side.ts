type Callback = (error?: Error | null) => void;

/** What a node stream feeds into a `WritableStream`: as long as that wants more, as a pipe would. */
export class WriteSide {
  readonly #writer: WritableStreamDefaultWriter<unknown>;
  #over = false;
  #discarding = false;
  #held: Callback | undefined;

  constructor(writable: WritableStream<unknown>, onError: (reason: unknown) => void) {
    this.#writer = writable.getWriter();
    // Every failure, of a write or of the close, is told here, once.
    this.#writer.closed.catch((reason) => {
      if (this.#over) return;
      this.#release();
      onError(reason);
    });
    this.#writer.ready.catch(() => {});
  }

  /** Writes once there is room; calls back once the chunk is in the queue. */
  write(chunk: unknown, callback: Callback): void {
    if (this.#discarding) return callback();
    this.#held = callback;
    if (this.#over) return;
    const write = (): void => {
      if (this.#over) return;
      this.#held = undefined;
      this.#writer.write(chunk).catch(() => {});
      callback();
    };
    if (this.#writer.desiredSize! > 0) write();
    else this.#writer.ready.then(write, () => {});
  }

  /** Closes; calls back once everything is written. */
  close(callback: Callback): void {
    if (this.#discarding) return callback();
    this.#held = callback;
    if (this.#over) return;
    this.#writer.close().then(() => {
      if (this.#over) return;
      this.#held = undefined;
      this.#release();
      callback();
    }, () => {});
  }

  /** Takes whatever still comes and drops it, since nobody needs it any more. */
  discard(): void {
    this.#discarding = true;
    const callback = this.#held;
    this.#held = undefined;
    callback?.();
  }

  /** Aborts what has not been closed. */
  async abort(reason: unknown): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    const aborted = this.#writer.abort(reason);
    this.#writer.releaseLock();
    await aborted;
  }

  #release(): void {
    this.#over = true;
    this.#writer.releaseLock();
  }
}
