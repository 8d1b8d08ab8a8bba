/** A clock that moves only when nothing else is left to do, so that delays order events and never take time. */
export class VirtualClock {
  #now = 0;
  #timers: { at: number; fire: () => void }[] = [];

  /** What time it is. */
  now(): number {
    return this.#now;
  }

  /** Calls `fire` after `delay`. */
  after(delay: number, fire: () => void): void {
    this.#timers.push({ at: this.#now + delay, fire });
  }

  /** Resolves after `delay`. */
  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => this.after(delay, resolve));
  }

  /** Runs until no timer is left. */
  async run(): Promise<void> {
    await settle();
    while (this.#timers.length > 0) {
      const next = this.#timers.reduce((first, timer) => timer.at < first.at ? timer : first);
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.#now = next.at;
      next.fire();
      await settle();
    }
  }
}

/** Lets everything that is due run: microtasks, ticks and immediates. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
