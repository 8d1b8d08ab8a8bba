/** Lets an idle worker sleep until something may have arrived. */
export class Arrivals {
  /** How often something may have. */
  count = 0;
  readonly #sleeping = new Set<() => void>();

  notify(): void {
    this.count++;
    for (const wake of [...this.#sleeping]) wake();
  }

  /** Fulfils once something may have arrived since `count` was read, after `ms`, or when `signal` aborts. */
  wait(count: number, ms: number, signal: AbortSignal): Promise<void> {
    if (count !== this.count || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.#sleeping.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener("abort", wake);
      this.#sleeping.add(wake);
    });
  }
}
