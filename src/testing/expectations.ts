import { describeRuns } from "../inspect/print_pending_runs.ts";
import { yieldTurn } from "../engine/turn_budget.ts";
import { createDeferred, type Deferred } from "../deferred.ts";
import { deadTurns, noteActivity, progress } from "./activity.ts";
import { currentTime } from "./current_time.ts";

interface Expectation {
  readonly what: string;
  readonly isMet: () => boolean;
  /** Why it cannot be met any more. */
  readonly problem: () => string | undefined;
  readonly deferred: Deferred<void>;
}

const { setTimeout: setRealTimeout, clearTimeout: clearRealTimeout } = globalThis;
const mostEvents = 20;

/** A wait that the clock's run does not outlive: what is said of the end is said before what is said of the run. */
const turnsWithClock = deadTurns - 10;

/** What a test waits for at one end, and what has happened there. */
export class Expectations {
  readonly #limitMs: number;
  readonly #draw: () => readonly string[];
  readonly #waiting = new Set<Expectation>();
  readonly #events: string[] = [];
  #eventCount = 0;
  #isWatching = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turns = 0;
  #last = "";

  /**
   * @param limitMs After how many milliseconds what is expected has not come, where the time is real.
   * @param draw The lines of the diagram of the end's buffers.
   */
  constructor(limitMs: number, draw: () => readonly string[]) {
    this.#limitMs = limitMs;
    this.#draw = draw;
  }

  /** Notes what happened, and settles what waited for it. */
  note(event: string): void {
    noteActivity();
    const time = currentTime();
    this.#events.push(time === undefined ? event : `${event} at ${time.now} ms`);
    this.#eventCount++;
    if (this.#events.length > mostEvents) this.#events.shift();
    this.look();
  }

  /** Settles what has come, and what cannot come any more. */
  look(): void {
    for (const expectation of this.#waiting) {
      const { what, isMet, problem, deferred } = expectation;
      if (isMet()) deferred.resolve();
      else {
        const why = problem();
        if (why === undefined) continue;
        deferred.reject(this.error(`Expected ${what}, but ${why}`));
      }
      this.#waiting.delete(expectation);
    }
    if (this.#waiting.size === 0) this.#stop();
  }

  /** Fulfilled once it is met; rejected once it cannot be, with the diagram. */
  expect(what: string, isMet: () => boolean, problem: () => string | undefined): Promise<void> {
    const deferred = createDeferred<void>();
    this.#waiting.add({ what, isMet, problem, deferred });
    this.#turns = 0;
    noteActivity();
    this.look();
    if (this.#waiting.size > 0 && !this.#isWatching) {
      this.#isWatching = true;
      this.#schedule();
    }
    return deferred.promise;
  }

  /** An error with the diagram. */
  error(message: string): Error {
    return new Error([message, ...this.#draw(), `  events   ${this.#history()}`].join("\n"));
  }

  #history(): string {
    const left = this.#eventCount - this.#events.length;
    const events = this.#events.join(", ") || "none";
    return left === 0 ? events : `${left} more, ${events}`;
  }

  #schedule(): void {
    if (currentTime() !== undefined) return yieldTurn(() => this.#turn());
    this.#timer = setRealTimeout(() => this.#turn(), 1);
  }

  #stop(): void {
    this.#isWatching = false;
    clearRealTimeout(this.#timer);
  }

  #turn(): void {
    if (!this.#isWatching) return;
    const why = this.#whyDead();
    if (why === undefined) return this.#schedule();
    this.#stop();
    const runs = describeRuns().join("\n");
    for (const { what, deferred } of this.#waiting) {
      const error = this.error(`Expected ${what}, ${why}`);
      error.message += `\n${runs}`;
      deferred.reject(error);
    }
    this.#waiting.clear();
  }

  /** Counts turns, not time, so that a machine that stops for a while breaks nothing. */
  #whyDead(): string | undefined {
    const time = currentTime();
    const now = progress();
    const mayMove = time !== undefined &&
      (now !== this.#last || time.isMoving && (time.hasIo || time.timers > 0));
    this.#last = now;
    this.#turns = mayMove ? 0 : this.#turns + 1;
    if (time === undefined) {
      return this.#turns < this.#limitMs ? undefined : `but not within ${this.#limitMs} ms`;
    }
    if (this.#turns < (time.isMoving ? turnsWithClock : deadTurns)) return undefined;
    return time.timers === 0
      ? "but nothing can move any more: no timer is set"
      : `but nothing moves until the clock does: ${
        time.timers === 1 ? "a timer is" : `${time.timers} timers are`
      } set`;
  }
}
