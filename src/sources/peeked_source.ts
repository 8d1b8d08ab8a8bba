import type { UnderlyingDefaultSource } from "../web_types.ts";
import type { SourceReader } from "./source_reader.ts";

type Controller<T> = ReadableStreamDefaultController<T>;

/** The underlying source that gives again what was read before, and then the rest. */
export class PeekedSource<T> implements UnderlyingDefaultSource<T> {
  readonly #chunks: readonly T[];
  readonly #source: SourceReader<T>;
  #index = 0;
  #isOver = false;
  #controller!: Controller<T>;
  #endPull: (() => void) | undefined;

  constructor(chunks: readonly T[], source: SourceReader<T>) {
    // What the caller does to the array is not the stream's.
    this.#chunks = [...chunks];
    this.#source = source;
  }

  start(controller: Controller<T>): void {
    this.#controller = controller;
  }

  pull(controller: Controller<T>): void | Promise<void> {
    if (this.#index < this.#chunks.length) return controller.enqueue(this.#chunks[this.#index++]!);
    return new Promise((resolve) => {
      // A source that was given up may hang forever.
      this.#endPull = resolve;
      this.#read(controller).then(resolve);
    });
  }

  async cancel(reason: unknown): Promise<void> {
    this.#end();
    await this.#source.cancel(reason);
  }

  async dispose(): Promise<void> {
    if (this.#isOver) return;
    const reason = new DOMException("Cannot read: the source was disposed of", "AbortError");
    this.#end();
    this.#controller.error(reason);
    await this.#source.cancel(reason);
  }

  async #read(controller: Controller<T>): Promise<void> {
    try {
      const { done, value } = await this.#source.read();
      if (this.#isOver) return;
      if (!done) return controller.enqueue(value);
      this.#end();
      controller.close();
    } catch (reason) {
      if (this.#isOver) return;
      this.#end();
      controller.error(reason);
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#endPull?.();
  }
}
