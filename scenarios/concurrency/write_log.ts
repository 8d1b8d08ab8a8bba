/** The clock that writes go by; tests bring one of their own. */
export interface Clock {
  now(): number;
  sleep(delayMs: number): Promise<void>;
}

/** The runtime's own clock. */
const realClock: Clock = {
  now: () => performance.now(),
  sleep: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
};

/** Slow writes, and what can be said of them afterwards. */
export class WriteLog {
  readonly #delays: readonly number[];
  readonly #clock: Clock;
  readonly #startedAt: number;
  #finishedAt: number;
  #inFlight = 0;
  /** The most writes that were in flight at a time. */
  maxInFlight = 0;
  /** The messages in the order in which their writes began. */
  readonly written: string[] = [];
  /** How long each write took, in the same order: a little more than its delay, since timers are late. */
  readonly durations: number[] = [];

  /** The clock runs from here; message `"1"` takes the first delay. */
  constructor(delays: readonly number[], clock: Clock = realClock) {
    this.#delays = delays;
    this.#clock = clock;
    this.#startedAt = this.#finishedAt = clock.now();
  }

  /** Writes a message, slowly. */
  async write(message: string): Promise<void> {
    const place = this.written.push(message) - 1;
    const startedAt = this.#clock.now();
    this.maxInFlight = Math.max(this.maxInFlight, ++this.#inFlight);
    await this.#clock.sleep(this.#delays[Number(message) - 1]!);
    this.#inFlight--;
    this.#finishedAt = this.#clock.now();
    this.durations[place] = this.#finishedAt - startedAt;
  }

  /** From the start to the end of the last write, in milliseconds. */
  get makespan(): number {
    return this.#finishedAt - this.#startedAt;
  }

  /** How many writes were in flight at a time, on average over the makespan. */
  get meanInFlight(): number {
    return this.durations.reduce((sum, duration) => sum + duration, 0) / this.makespan;
  }
}
