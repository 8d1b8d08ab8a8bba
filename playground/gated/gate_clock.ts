/** A call of a source, a transformer or a sink that waits to be released. */
export interface GatedCall {
  /** Who made it. */
  readonly caller: string;
  readonly startedAtMs: number;
  readonly dueAtMs: number;
  readonly release: () => void;
}

/** Lets everything happen that is due: streams move in microtasks, which all run before the next message. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** A clock that moves only when the page lets it: calls that wait for it are released in the order of their times. */
export class GateClock {
  #nowMs = 0;
  #calls: GatedCall[] = [];
  #isStopped = false;
  /** Moves are made one after the other. */
  #lastMove: Promise<unknown> = Promise.resolve();

  now(): number {
    return this.#nowMs;
  }

  /** The calls that wait, in the order in which they will be released. */
  get calls(): readonly GatedCall[] {
    return this.#calls;
  }

  /** How far each call is, by its caller: from 0 to 1. */
  progress(): Record<string, number> {
    return Object.fromEntries(
      this.#calls.map(({ caller, startedAtMs, dueAtMs }) => [
        caller,
        (this.#nowMs - startedAtMs) / Math.max(1, dueAtMs - startedAtMs),
      ]),
    );
  }

  /** Waits, on behalf of `caller`, until the clock has moved so far, or is stopped. */
  sleep(delayMs: number, caller = ""): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const startedAtMs = this.#nowMs;
      const call = { caller, startedAtMs, dueAtMs: startedAtMs + delayMs, release: resolve };
      const place = this.#calls.findIndex(({ dueAtMs }) => dueAtMs > call.dueAtMs);
      this.#calls.splice(place < 0 ? this.#calls.length : place, 0, call);
    });
  }

  /** Resolves when `job` is over; without one never: the page decides how long it is looked at. */
  run(job: Promise<void> | undefined): Promise<void> {
    return job ?? new Promise(() => {});
  }

  /** Releases the next call; answers whether there was one. */
  step(): Promise<boolean> {
    return this.#move(() => this.#release(Infinity));
  }

  /** Moves on by some time, as long as it is wanted, and releases what is due meanwhile. */
  advance(elapsedMs: number, isWanted: () => boolean = () => true): Promise<void> {
    return this.#move(async () => {
      const untilMs = this.#nowMs + elapsedMs;
      while (isWanted() && await this.#release(untilMs));
      if (!this.#isStopped && isWanted()) this.#nowMs = Math.max(this.#nowMs, untilMs);
    });
  }

  /** Releases every call until `isDone` says so, or none is left. */
  advanceUntil(isDone: () => boolean): Promise<void> {
    return this.#move(async () => {
      while (!isDone() && await this.#release(Infinity));
    });
  }

  /** Releases all that wait, and lets nothing wait any more. */
  stop(): void {
    this.#isStopped = true;
    for (const { release } of this.#calls.splice(0)) release();
  }

  #move<T>(make: () => Promise<T>): Promise<T> {
    const move = this.#lastMove.then(make);
    this.#lastMove = move;
    return move;
  }

  async #release(untilMs: number): Promise<boolean> {
    // What was begun before the clock moves, such as the start of a stream, comes first.
    await settle();
    const [call] = this.#calls;
    if (this.#isStopped || call === undefined || call.dueAtMs > untilMs) return false;
    this.#calls.shift();
    this.#nowMs = call.dueAtMs;
    call.release();
    await settle();
    return true;
  }
}
