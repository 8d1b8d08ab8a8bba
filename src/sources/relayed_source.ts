import type { UnderlyingDefaultSource } from "../web_types.ts";
import type { ReadObserver, SourceReader } from "./source_reader.ts";

type Controller<T> = Pick<ReadableStreamDefaultController<T>, "close" | "enqueue" | "error">;

/** The underlying source that gives what another one gives, so many chunks a pull, until that ends or is given up. */
export class RelayedSource<T> implements UnderlyingDefaultSource<T>, ReadObserver {
  readonly #source: SourceReader<T>;
  readonly #batchSize: number;
  #controller!: Controller<T>;
  /** How many chunks the pull has still to give. */
  #left = 0;
  /** Whether the read that was asked for has been answered, and whether it is still being asked for. */
  #isAnswered = false;
  #isAsking = false;
  #endPull: (() => void) | undefined;
  protected isOver = false;

  constructor(source: SourceReader<T>, batchSize = 1) {
    this.#source = source;
    this.#batchSize = batchSize;
  }

  start(controller: Controller<T>): void {
    this.#controller = controller;
  }

  pull(_controller: Controller<T>): void | Promise<void> {
    this.#left = this.#batchSize;
    // A source that is given up may hang forever.
    if (!this.#readAll()) return new Promise((resolve) => this.#endPull = resolve);
  }

  cancel(reason: unknown): Promise<void> {
    this.end();
    return this.#source.cancel(reason);
  }

  onChunk(chunk: unknown): void {
    if (this.isOver) return;
    this.handleAnswer();
    this.#left--;
    try {
      this.#controller.enqueue(chunk as T);
    } catch (reason) {
      // The stream has failed by itself, and so nothing else gives the source up.
      this.cancel(reason).catch(() => {});
    }
    this.#isAnswered = true;
    if (!this.#isAsking && this.#readAll()) this.#endPull!();
  }

  onEnd(): void {
    if (this.isOver) return;
    this.end();
    this.#controller.close();
  }

  onFailure(reason: unknown): void {
    if (this.isOver) return;
    this.end();
    this.#controller.error(reason);
  }

  /** Fails, and gives the source up. */
  protected giveUp(reason: unknown): Promise<void> {
    this.onFailure(reason);
    return this.#source.cancel(reason);
  }

  /** Called when a read has been answered in time. */
  protected handleAnswer(): void {}

  protected end(): void {
    this.isOver = true;
    this.#endPull?.();
  }

  /** Reads what is left; tells whether that is done, or all is over, and not on its way. */
  #readAll(): boolean {
    while (this.#left > 0 && !this.isOver) {
      this.#isAnswered = false;
      this.#isAsking = true;
      this.#source.take(this);
      this.#isAsking = false;
      if (!this.#isAnswered) break;
    }
    return this.#left === 0 || this.isOver;
  }
}
