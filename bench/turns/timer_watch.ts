import process from "node:process";

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A timer that starts again whenever it fires, and remembers how long it had to wait at most. */
export class TimerWatch {
  /** From being set to firing, in milliseconds; a wait that `stop` ends counts too. */
  longestWaitMs = 0;
  /** What this process worked in that time; the rest was the machine's to give to others. */
  cpuInWaitMs = 0;
  firings = 0;
  readonly #delayMs: number;
  #setAtMs = 0;
  #cpuAtSetMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
    this.#set();
  }

  #set(): void {
    this.#setAtMs = performance.now();
    this.#cpuAtSetMs = cpuMs();
    this.#timer = setTimeout(() => {
      this.firings++;
      this.#note();
      this.#set();
    }, this.#delayMs);
  }

  #note(): void {
    const waitMs = performance.now() - this.#setAtMs;
    if (waitMs <= this.longestWaitMs) return;
    this.longestWaitMs = waitMs;
    this.cpuInWaitMs = cpuMs() - this.#cpuAtSetMs;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#note();
  }
}
