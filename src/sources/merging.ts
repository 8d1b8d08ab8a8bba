import { Fifo } from "../fifo.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { abandonAll, cancelAll, type SourceReader } from "./source_reader.ts";

type Controller<T> = ReadableStreamDefaultController<T>;

/** The underlying source that gives what several sources give, in the order of arrival. */
export class Merging<T> implements UnderlyingDefaultSource<T> {
  readonly #open: Set<SourceReader<unknown>>;
  /** Those that are not being read, and of which no chunk waits. */
  #idle: SourceReader<unknown>[];
  /** Chunks that nothing has asked for yet, each with its source. */
  readonly #arrived = new Fifo();
  #failure: { readonly reason: unknown } | undefined;
  #onArrival: (() => void) | undefined;

  constructor(sources: SourceReader<unknown>[]) {
    this.#open = new Set(sources);
    this.#idle = sources;
  }

  start(controller: Controller<T>): void {
    if (this.#open.size === 0) controller.close();
  }

  pull(controller: Controller<T>): void | Promise<void> {
    if (this.#answer(controller)) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const source of idle) this.#read(source);
    return new Promise((resolve) => {
      this.#onArrival = () => {
        if (!this.#answer(controller)) return;
        this.#onArrival = undefined;
        resolve();
      };
    });
  }

  cancel(reason: unknown): Promise<void> {
    this.#onArrival = undefined;
    const open = [...this.#open];
    this.#open.clear();
    this.#arrived.clear();
    return cancelAll(open, reason);
  }

  async #read(source: SourceReader<unknown>): Promise<void> {
    try {
      // One that another's `next()` has cancelled meanwhile is not begun.
      if (!this.#open.has(source)) return;
      const { done, value } = await source.read();
      // Cancelled meanwhile.
      if (!this.#open.has(source)) return;
      if (done) this.#open.delete(source);
      else this.#arrived.push({ source, value });
    } catch (reason) {
      if (!this.#open.delete(source)) return;
      this.#failure = { reason };
      const others = [...this.#open];
      this.#open.clear();
      abandonAll(others, reason);
    }
    this.#onArrival?.();
  }

  /** Tells whether there was an answer to give. */
  #answer(controller: Controller<T>): boolean {
    if (this.#arrived.length > 0) {
      const { source, value } = this.#arrived.shift() as {
        source: SourceReader<unknown>;
        value: T;
      };
      this.#idle.push(source);
      controller.enqueue(value);
    } else if (this.#failure !== undefined) controller.error(this.#failure.reason);
    else if (this.#open.size === 0) controller.close();
    else return false;
    return true;
  }
}
