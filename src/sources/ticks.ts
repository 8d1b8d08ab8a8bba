import type { UnderlyingDefaultSource } from "../web_types.ts";

type Controller = ReadableStreamDefaultController<number>;

/** The underlying source that counts the time. */
export class Ticks implements UnderlyingDefaultSource<number> {
  readonly #ms: number;
  #startedAtMs: number | undefined;
  /** The tick that is next at the earliest. */
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #endPull: (() => void) | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  pull(controller: Controller): void | Promise<void> {
    this.#startedAtMs ??= performance.now();
    const dueInMs = this.#startedAtMs + (this.#next + 1) * this.#ms - performance.now();
    if (dueInMs <= 0) return this.#give(controller);
    return new Promise((resolve) => {
      this.#endPull = resolve;
      this.#timer = setTimeout(() => {
        this.#give(controller);
        resolve();
      }, dueInMs);
    });
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#endPull?.();
  }

  #give(controller: Controller): void {
    const passedMs = performance.now() - this.#startedAtMs!;
    // Timers may fire a little early.
    const tick = Math.max(this.#next, Math.floor(passedMs / this.#ms) - 1);
    this.#next = tick + 1;
    controller.enqueue(tick);
  }
}
