import type { UnderlyingDefaultSource } from "../web_types.ts";
import { abandonAll, type SourceReader } from "./source_reader.ts";

type Controller<T> = ReadableStreamDefaultController<T>;
type Timer = ReturnType<typeof setTimeout>;

/** The underlying source that gives another one up when it takes too long. */
export class TimeLimit<T> implements UnderlyingDefaultSource<T> {
  readonly #source: SourceReader<unknown>;
  readonly #idleMs: number | undefined;
  readonly #totalMs: number | undefined;
  #idleTimer: Timer | undefined;
  #totalTimer: Timer | undefined;
  #isOver = false;
  #endPull: (() => void) | undefined;

  constructor(
    source: SourceReader<unknown>,
    idleMs: number | undefined,
    totalMs: number | undefined,
  ) {
    this.#source = source;
    this.#idleMs = idleMs;
    this.#totalMs = totalMs;
  }

  pull(controller: Controller<T>): Promise<void> {
    if (this.#totalMs !== undefined && this.#totalTimer === undefined) {
      const need = `the source has not ended within ${this.#totalMs} ms`;
      this.#totalTimer = setTimeout(() => this.#fail(controller, need), this.#totalMs);
    }
    if (this.#idleMs !== undefined) {
      const need = `the source has given no chunk within ${this.#idleMs} ms`;
      this.#idleTimer = setTimeout(() => {
        // What arrived while the event loop was kept busy is heard in this turn.
        this.#idleTimer = setTimeout(() => this.#fail(controller, need), 0);
      }, this.#idleMs);
    }
    return new Promise((resolve) => {
      // After a failure a source may hang forever.
      this.#endPull = resolve;
      this.#read(controller);
    });
  }

  cancel(reason: unknown): Promise<void> {
    this.#end();
    return this.#source.cancel(reason);
  }

  async #read(controller: Controller<T>): Promise<void> {
    try {
      const { done, value } = await this.#source.read();
      if (this.#isOver) return;
      clearTimeout(this.#idleTimer);
      if (done) {
        this.#end();
        controller.close();
      } else {
        controller.enqueue(value as T);
        this.#endPull!();
      }
    } catch (reason) {
      if (this.#isOver) return;
      this.#end();
      controller.error(reason);
    }
  }

  #fail(controller: Controller<T>, message: string): void {
    const reason = new DOMException(message, "TimeoutError");
    this.#end();
    controller.error(reason);
    abandonAll([this.#source], reason);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#totalTimer);
    this.#endPull?.();
  }
}
