import { Engine } from "../engine/engine.ts";
import type { StagePlan } from "../engine/plan_stages.ts";
import type { Ending, Input, Output } from "../engine/ports.ts";
import { type TimedTurn, yieldTurn } from "../engine/turn.ts";
import { Fifo } from "../fifo.ts";

/** What a run does with what it makes. */
export interface MessageRunEvents {
  /** Takes an output; a promise tells when the next may come. What it throws ends the run. */
  give(value: unknown): Promise<void> | undefined;
  /** The run is over: all is given, or it has failed. Called once. */
  end(ending: Ending): void;
}

/** One message's walk through the stages, from their `start` to their `flush`. */
export class MessageRun implements Input, Output {
  readonly isDirect = false;
  isEnded = false;
  readonly #body: unknown;
  readonly #turn: TimedTurn;
  readonly #events: MessageRunEvents;
  readonly #engine: Engine;
  #isTaken = false;
  #isPaused = false;
  #isGiving = false;
  /** Outputs that wait until the last one was taken. */
  #waiting: Fifo | undefined;
  #ending: Ending | undefined;

  constructor(
    plans: readonly StagePlan[],
    body: unknown,
    turn: TimedTurn,
    events: MessageRunEvents,
  ) {
    this.#body = body;
    this.#turn = turn;
    this.#events = events;
    this.#engine = new Engine({ plans, input: this, output: this, turn, maxQueued: 0 });
    this.#engine.onResume(() => this.#resume());
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

  /** Nobody wants it any more: every stage is cancelled, whatever hangs. */
  cancel(reason: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#engine.giveUp(reason);
  }

  // As the input: one chunk, and then no other.

  take(): boolean {
    if (this.#isTaken) void this.#engine.end().catch(ignore);
    else {
      this.#isTaken = true;
      this.#engine.feed(this.#body);
    }
    return true;
  }

  stop(): void {}

  settled(): void {}

  // As the output.

  hasRoom(): boolean {
    return !this.#isGiving && !this.isEnded;
  }

  desiredSize(): number {
    return -(this.#waiting?.length ?? 0);
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
      const given = this.#events.give(value);
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
    if (this.isEnded) return;
    this.#engine.giveUp(reason);
    this.#end({ failed: true, reason });
  }

  #end(ending: Ending): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#events.end(ending);
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

function ignore(): void {}
