const cheapReads = 64;

/** A clock that is asked more often than it is read: reading it may cost more than what happens in between. */
export class ProbeClock {
  /** Whether every time is read, as from a clock that was given. */
  readonly isExact: boolean;
  readonly #now: () => number;
  #lastMs: number;
  #left = 0;
  #isTimerSet = false;

  constructor(now: (() => number) | undefined) {
    this.isExact = now !== undefined;
    this.#now = now ?? (() => performance.now());
    this.#lastMs = this.#now();
  }

  /** The time, read. */
  read(): number {
    if (this.isExact) return this.#now();
    this.#left = cheapReads;
    if (!this.#isTimerSet) {
      this.#isTimerSet = true;
      // The event loop may rest for long: after its next turn nothing that was read is believed.
      setTimeout(() => {
        this.#isTimerSet = false;
        this.#left = 0;
      });
    }
    return this.#lastMs = this.#now();
  }

  /** The time, or that of a moment ago in the same turn of the event loop. */
  glance(): number {
    return --this.#left < 0 || this.isExact ? this.read() : this.#lastMs;
  }
}
