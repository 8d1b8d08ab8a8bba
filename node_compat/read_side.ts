import type { Readable } from "node:stream";
import { toError } from "./stage_error.ts";

/** What feeds a node stream from a `ReadableStream`: one chunk a read, when node asks. */
export class ReadSide {
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  #over = false;
  /** Whether a read waits for its chunk. */
  pending = false;

  constructor(readable: ReadableStream<unknown>) {
    this.#reader = readable.getReader();
    this.#reader.closed.catch(() => {});
  }

  /** Reads a chunk and pushes it; `onEnd` is told after the end was pushed. */
  read(stream: Readable, onEnd?: () => void): void {
    this.pending = true;
    this.#reader.read().then(({ done, value }) => {
      this.pending = false;
      if (this.#over) return;
      if (done) {
        this.#release();
        stream.push(null);
        onEnd?.();
      } else if (value === null) {
        stream.destroy(
          new TypeError("Cannot read: a node stream cannot carry null, which is its end"),
        );
      } else stream.push(value);
    }, (reason) => {
      this.pending = false;
      if (this.#over) return;
      this.#release();
      stream.destroy(toError(reason));
    });
  }

  /** Cancels what has not ended. */
  async cancel(reason: unknown): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    const cancelled = this.#reader.cancel(reason);
    this.#reader.releaseLock();
    await cancelled;
  }

  #release(): void {
    this.#over = true;
    this.#reader.releaseLock();
  }
}
