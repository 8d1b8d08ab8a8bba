import { RelayedSource } from "./relayed_source.ts";
import type { SourceReader } from "./source_reader.ts";

type Timer = ReturnType<typeof setTimeout>;

/** The underlying source that gives another one up when it takes too long. */
export class TimeLimit<T> extends RelayedSource<T> {
  readonly #idleMs: number | undefined;
  readonly #totalMs: number | undefined;
  #idleTimer: Timer | undefined;
  /** Looks at the end of a turn whether a read is pending: most are answered before, and two timer calls cost more. */
  #turnTimer: Timer | undefined;
  #isPending = false;
  #totalTimer: Timer | undefined;

  constructor(source: SourceReader<T>, idleMs: number | undefined, totalMs: number | undefined) {
    super(source);
    this.#idleMs = idleMs;
    this.#totalMs = totalMs;
  }

  override pull(controller: ReadableStreamDefaultController<T>): void | Promise<void> {
    if (this.#totalMs !== undefined && this.#totalTimer === undefined) {
      const need = `the source has not ended within ${this.#totalMs} ms`;
      this.#totalTimer = setTimeout(() => this.#fail(need), this.#totalMs);
    }
    if (this.#idleMs !== undefined) {
      this.#isPending = true;
      this.#turnTimer ??= setTimeout(this.#onTurn, 0);
    }
    return super.pull(controller);
  }

  protected override handleAnswer(): void {
    this.#isPending = false;
    if (this.#idleTimer === undefined) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  protected override end(): void {
    this.handleAnswer();
    clearTimeout(this.#turnTimer);
    clearTimeout(this.#totalTimer);
    super.end();
  }

  readonly #onTurn = (): void => {
    this.#turnTimer = undefined;
    if (!this.#isPending || this.#idleTimer !== undefined) return;
    const need = `the source has given no chunk within ${this.#idleMs} ms`;
    this.#idleTimer = setTimeout(() => {
      // What arrived while the event loop was kept busy is heard in this turn.
      this.#idleTimer = setTimeout(() => this.#fail(need), 0);
      // Less the turn.
    }, Math.max(0, this.#idleMs! - 1));
  };

  #fail(message: string): void {
    this.giveUp(new DOMException(message, "TimeoutError")).catch(() => {});
  }
}
