import { setImmediate } from "node:timers";

/** What delays go by. */
export interface DemoClock {
  now(): number;
  /** Resolves after `delayMs`, or when the clock is stopped. */
  sleep(delayMs: number): Promise<void>;
  /** Resolves when `job` has ended, or, without one, when nothing more happens. */
  run(job: Promise<void> | undefined): Promise<void>;
  /** Ends all waiting. */
  stop(): void;
}

/** Lets everything happen that is due. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Real time. */
export class RealClock implements DemoClock {
  readonly #waits = new Map<ReturnType<typeof setTimeout>, () => void>();
  #isStopped = false;

  now(): number {
    return performance.now();
  }

  sleep(delayMs: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waits.delete(timer);
        resolve();
      }, delayMs);
      this.#waits.set(timer, resolve);
    });
  }

  async run(job: Promise<void> | undefined): Promise<void> {
    await (job ?? settle());
  }

  stop(): void {
    this.#isStopped = true;
    for (const [timer, resolve] of this.#waits) {
      clearTimeout(timer);
      resolve();
    }
    this.#waits.clear();
  }
}

/** Moves only when nothing else is left to do: delays decide the order of events, and are skipped. */
export class VirtualClock implements DemoClock {
  #nowMs = 0;
  #waits: { readonly atMs: number; readonly resolve: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#waits.push({ atMs: this.#nowMs + delayMs, resolve }));
  }

  async run(job: Promise<void> | undefined): Promise<void> {
    await settle();
    while (this.#waits.length > 0) {
      const next = this.#waits.reduce((first, wait) => wait.atMs < first.atMs ? wait : first);
      this.#waits.splice(this.#waits.indexOf(next), 1);
      this.#nowMs = next.atMs;
      next.resolve();
      await settle();
    }
    await job;
  }

  stop(): void {
    for (const { resolve } of this.#waits.splice(0)) resolve();
  }
}
