import { RelayedSource } from "./relayed_source.ts";
import type { SourceReader } from "./source_reader.ts";

/** The underlying source that gives again what was read before, and then the rest. */
export class PeekedSource<T> extends RelayedSource<T> {
  readonly #chunks: readonly T[];
  #index = 0;

  constructor(chunks: readonly T[], source: SourceReader<T>) {
    super(source);
    // What the caller does to the array is not the stream's.
    this.#chunks = [...chunks];
  }

  override pull(controller: ReadableStreamDefaultController<T>): void | Promise<void> {
    if (this.#index === this.#chunks.length) return super.pull(controller);
    controller.enqueue(this.#chunks[this.#index++]!);
  }

  async dispose(): Promise<void> {
    if (this.isOver) return;
    await this.giveUp(new DOMException("Cannot read: the source was disposed of", "AbortError"));
  }
}
