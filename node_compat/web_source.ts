import type { UnderlyingDefaultSource } from "../src/web_types.ts";

/** The underlying source that reads a `ReadableStream`, one chunk a pull, and lets go of it at its end. */
export class WebSource implements UnderlyingDefaultSource {
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  readonly #onEnd: (() => void) | undefined;
  #isOver = false;
  /** Whether a read waits for its chunk. */
  isReading = false;

  /** `onEnd` is called after the end was handed on. */
  constructor(readable: ReadableStream<unknown>, onEnd?: () => void) {
    this.#reader = readable.getReader();
    this.#reader.closed.catch(() => {});
    this.#onEnd = onEnd;
  }

  async pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
    const result = await this.#read();
    if (this.#isOver) return;
    if (!result.done) return controller.enqueue(result.value);
    this.#release();
    controller.close();
    this.#onEnd?.();
  }

  async cancel(reason: unknown): Promise<void> {
    const cancelled = this.#reader.cancel(reason);
    this.#release();
    await cancelled;
  }

  async #read(): Promise<ReadableStreamReadResult<unknown>> {
    this.isReading = true;
    try {
      return await this.#reader.read();
    } catch (reason) {
      if (!this.#isOver) this.#release();
      throw reason;
    } finally {
      this.isReading = false;
    }
  }

  #release(): void {
    this.#isOver = true;
    this.#reader.releaseLock();
  }
}
