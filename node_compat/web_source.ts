import type { UnderlyingDefaultSource } from "../src/web_types.ts";

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
