import { Engine } from "../engine/engine.ts";
import { FirstFailure } from "../engine/first_failure.ts";
import type { StagePlan } from "../engine/plan_stages.ts";
import type { RunPlace } from "../engine/run_failure.ts";
import type { Ending, Input, Output } from "../engine/ports.ts";
import { type TimedTurnBudget, yieldTurn } from "../engine/turn_budget.ts";
import { Fifo } from "../fifo.ts";
import type { LeasedMessage } from "./message.ts";
import type { MessageWork, RunHost } from "./run_host.ts";

/** One message's walk through the stages, from their `start` to their `flush`. */
export class MessageRun implements Input, Output, MessageWork {
  readonly isDirect = false;
  isEnded = false;
  readonly #host: RunHost;
  readonly #message: LeasedMessage;
  readonly #turn: TimedTurnBudget;
  readonly #engine: Engine;
  #isTaken = false;
  #isPaused = false;
  #isGiving = false;
  /** Outputs that wait until the last one was taken. */
  #waiting: Fifo | undefined;
  #ending: Ending | undefined;

  constructor(
    host: RunHost,
    message: LeasedMessage,
    plans: readonly StagePlan[],
    place: RunPlace,
    turn: TimedTurnBudget,
  ) {
    this.#host = host;
    this.#message = message;
    this.#turn = turn;
    this.#engine = new Engine({
      ...{ plans, input: this, output: this, turn },
      maxQueued: 0,
      firstFailure: new FirstFailure(),
      place,
    });
    this.#engine.driver = { resume: () => this.#resume() };
  }

  /** Begins; often that is also the end. */
  start(): void {
    this.#turn.begin();
    try {
      this.#engine.start();
    } catch (reason) {
      return this.#end({ failed: true, reason });
    }
    this.#resume();
  }

  /** It is no longer wanted: every stage is cancelled, even if something hangs. */
  cancel(reason: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#engine.abandon(reason);
  }

  // As the input: one chunk, and then no other.

  take(): boolean {
    if (this.#isTaken) void this.#engine.end();
    else {
      this.#isTaken = true;
      this.#engine.feed(this.#message.body);
    }
    return true;
  }

  stop(): void {}

  handleSettled(): void {}

  // As the output.

  hasRoom(): boolean {
    return !this.#isGiving && !this.isEnded;
  }

  desiredSize(): number {
    return 0 - (this.#waiting?.length ?? 0);
  }

  writeOne(value: unknown): void {
    if (this.isEnded) return;
    if (this.#isGiving) (this.#waiting ??= new Fifo()).push(value);
    else this.#give(value);
  }

  write(values: readonly unknown[], count: number): void {
    for (let index = 0; index < count; index++) this.writeOne(values[index]);
  }

  end(ending: Ending): void {
    this.#ending = ending;
    this.#endIfGiven();
  }

  #give(value: unknown): void {
    try {
      const given = this.#host.give(this.#message, value);
      if (given !== undefined) this.#await(given);
    } catch (reason) {
      this.#fail(reason);
    }
  }

  #await(given: Promise<void>): void {
    this.#isGiving = true;
    given.then(
      () => {
        this.#isGiving = false;
        while (!this.#hasNothing() && !this.#isGiving && !this.isEnded) {
          this.#give(this.#waiting!.shift());
        }
        this.#endIfGiven();
        this.#resume();
      },
      (reason) => this.#fail(reason),
    );
  }

  #hasNothing(): boolean {
    return this.#waiting === undefined || this.#waiting.length === 0;
  }

  #endIfGiven(): void {
    if (this.#ending !== undefined && !this.#isGiving && this.#hasNothing()) {
      this.#end(this.#ending);
    }
  }

  #fail(reason: unknown): void {
    this.#engine.abandon(reason);
    this.#end({ failed: true, reason });
  }

  #end(ending: Ending): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#host.end(this, this.#message, ending);
  }

  #resume(): void {
    if (this.#isPaused || this.isEnded) return;
    if (!this.#engine.run()) return;
    this.#isPaused = true;
    yieldTurn(() => {
      this.#isPaused = false;
      this.#turn.begin();
      this.#resume();
    });
  }
}
