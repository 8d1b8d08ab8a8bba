/** Calls `extend` three times a lease for as long as there is something leased. */
export class LeaseKeeper {
  readonly #everyMs: number;
  readonly #extend: () => Promise<void>;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isExtending = false;

  constructor(leaseMs: number, extend: () => Promise<void>) {
    this.#everyMs = Math.max(1, Math.floor(leaseMs / 3));
    this.#extend = extend;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#tick(), this.#everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #tick(): Promise<void> {
    if (this.#isExtending) return;
    this.#isExtending = true;
    try {
      await this.#extend();
    } finally {
      this.#isExtending = false;
    }
  }
}
