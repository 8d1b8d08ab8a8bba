import type { UnderlyingDefaultSource } from "../web_types.ts";
import type { SourceReader } from "./source_reader.ts";

type Controller<T> = ReadableStreamDefaultController<T>;

/** The underlying source that gives what another one gives, until that ends or is given up. */
export class RelayedSource<T> implements UnderlyingDefaultSource<T> {
  readonly #source: SourceReader<T>;
  #controller!: Controller<T>;
  #endPull: (() => void) | undefined;
  protected isOver = false;

  constructor(source: SourceReader<T>) {
    this.#source = source;
  }

  start(controller: Controller<T>): void {
    this.#controller = controller;
  }

  pull(controller: Controller<T>): void | Promise<void> {
    return new Promise((resolve) => {
      // A source that is given up may hang forever.
      this.#endPull = resolve;
      this.#read(controller);
    });
  }

  cancel(reason: unknown): Promise<void> {
    this.end();
    return this.#source.cancel(reason);
  }

  /** Fails, and gives the source up. */
  protected giveUp(reason: unknown): Promise<void> {
    this.end();
    this.#controller.error(reason);
    return this.#source.cancel(reason);
  }

  /** Called when a read has been answered in time. */
  protected handleAnswer(): void {}

  protected end(): void {
    this.isOver = true;
    this.#endPull?.();
  }

  async #read(controller: Controller<T>): Promise<void> {
    try {
      const { done, value } = await this.#source.read();
      if (this.isOver) return;
      this.handleAnswer();
      if (!done) {
        controller.enqueue(value);
        return this.#endPull!();
      }
      this.end();
      controller.close();
    } catch (reason) {
      if (this.isOver) return;
      this.end();
      controller.error(reason);
    }
  }
}
