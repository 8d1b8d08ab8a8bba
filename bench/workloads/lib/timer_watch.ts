/** A timer that starts again whenever it fires, and remembers how long it had to wait at most. */
export class TimerWatch {
  /** From being set to firing, in milliseconds; a wait that `stop` ends counts too. */
  longestWaitMs = 0;
  firings = 0;
  readonly #delayMs: number;
  #setAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
    this.#set();
  }

  #set(): void {
    this.#setAtMs = performance.now();
    this.#timer = setTimeout(() => {
      this.firings++;
      this.#note();
      this.#set();
    }, this.#delayMs);
  }

  #note(): void {
    this.longestWaitMs = Math.max(this.longestWaitMs, performance.now() - this.#setAtMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#note();
  }
}
