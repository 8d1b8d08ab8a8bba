import { Engine } from "../engine/engine.ts";
import { FirstFailure } from "../engine/first_failure.ts";
import type { StagePlan } from "../engine/plan_stages.ts";
import type { RunPlace } from "../engine/run_failure.ts";
import type { Ending, Input } from "../engine/ports.ts";
import type { TimedTurnBudget } from "../engine/turn_budget.ts";
import { type OutputEvents, PushOutput } from "../pipeline/push_output.ts";
import { openSink } from "../pipeline/sink.ts";
import { TurnDriver } from "../pipeline/turn_driver.ts";
import type { LeasedMessage } from "./message.ts";
import type { MessageWork, RunHost } from "./run_host.ts";

/** One message's way through the stages, from their `start` to their `flush`. */
export class MessageRun extends TurnDriver implements Input, MessageWork, OutputEvents {
  isEnded = false;
  readonly #host: RunHost;
  readonly #message: LeasedMessage;
  readonly #output: PushOutput;
  readonly #engine: Engine;
  #isTaken = false;

  constructor(
    host: RunHost,
    message: LeasedMessage,
    plans: readonly StagePlan[],
    place: RunPlace,
    turn: TimedTurnBudget,
  ) {
    super(turn);
    this.#host = host;
    this.#message = message;
    this.#output = new PushOutput(
      openSink((value: unknown) => host.give(message, value)),
      turn,
      this,
    );
    this.#engine = new Engine({
      plans,
      input: this,
      output: this.#output,
      turn,
      maxQueued: 0,
      firstFailure: new FirstFailure(),
      place,
    });
    this.#engine.driver = this;
  }

  /** Begins; often that is also the end. */
  start(): void {
    this.turn.begin();
    try {
      this.#engine.start();
    } catch (reason) {
      return this.finish({ failed: true, reason });
    }
    this.resume();
  }

  /** It is no longer wanted: every stage is cancelled, even if something hangs. */
  cancel(reason: unknown): void {
    if (this.isEnded) return;
    this.#end();
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

  // As what the output reports to.

  finish(ending: Ending): void {
    if (this.isEnded) return;
    this.#end();
    this.#host.end(this, this.#message, ending);
  }

  fail(reason: unknown): void {
    this.#engine.abandon(reason);
    this.finish({ failed: true, reason });
  }

  // As the driver.

  protected override isStopped(): boolean {
    return this.isEnded;
  }

  protected override run(): boolean {
    return this.turn.isOver(1) || this.#engine.run();
  }

  protected override drain(): void {
    this.#output.drain();
  }

  #end(): void {
    this.isEnded = true;
    this.#output.close();
  }
}
