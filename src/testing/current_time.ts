/** Options of `virtualTime`. */
export interface VirtualTimeOptions {
  /** The date when it begins, as a `Date` or in milliseconds since 1970. Default: the beginning of 2000, UTC. */
  readonly startsAt?: Date | number | undefined;
}

/** Options of `run` of a virtual time. */
export interface RunOptions {
  /**
   * Whether the promise waits for what takes real time: files, sockets, threads, compression. The clock then moves only
   * after 20 ms of real quiet, so that an answer comes before a timer. Default: `false`.
   */
  readonly io?: boolean | undefined;
  /** After how many milliseconds of real time it fails if `io` is set. A number above 0. Default: 5000. */
  readonly limitMs?: number | undefined;
  /** How many timers and immediates may fire before it fails, since an interval never ends. A positive integer. Default: 10000. */
  readonly maxTimers?: number | undefined;
}

/** Time that moves only as it is moved. */
export interface VirtualTime {
  /** Milliseconds since it began; `performance.now()` is the same. */
  readonly now: number;
  /** How many timers and immediates are set and have not fired. */
  readonly timers: number;
  /**
   * Lets everything happen that can happen now, then moves the clock, and fires each timer at its time.
   *
   * @param ms For how many milliseconds. A number of at least 0; with 0 it only lets happen what can.
   * @throws What the callback of a timer throws, with the clock where that was.
   */
  advance(ms: number): Promise<void>;
  /**
   * Moves the clock from timer to timer until the promise settles.
   *
   * @returns What the promise gives; it rejects as the promise does.
   * @throws {Error} If the promise has not settled and nothing can move any more, with what `pendingRuns` lists; this
   * takes no real time unless `io` is set.
   */
  run<T>(promise: PromiseLike<T>, options?: RunOptions): Promise<T>;
  /** Puts the real time back; timers that are still set never fire. Doing it again does nothing. */
  restore(): void;
  /** The same as `restore`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a wait has to know of the time that is held. */
export interface CurrentTime extends Pick<VirtualTime, "now" | "timers" | "advance" | "run"> {
  readonly isMoving: boolean;
  /** Whether it moves only where real I/O is quiet. */
  readonly hasIo: boolean;
  /** Calls back at a time, which is exact: timers take whole milliseconds, and one at least. */
  at(atMs: number, callback: () => void): void;
}

let held: CurrentTime | undefined;

/** Sets the time that is held in this realm, or says that none is. */
export function setCurrentTime(time: CurrentTime | undefined): void {
  held = time;
}

/** The time that is held in this realm; `undefined` while it is real. */
export function currentTime(): CurrentTime | undefined {
  return held;
}
