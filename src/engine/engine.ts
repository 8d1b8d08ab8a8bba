import { awaitable } from "../awaitable.ts";
import type { ControllerHost } from "./controller.ts";
import { Ends } from "./ends.ts";
import type { FirstFailure } from "./first_failure.ts";
import type { Input, Output, Turn } from "./ports.ts";
import type { StagePlan } from "./plan_stages.ts";
import { Stage } from "./stage.ts";
import { Walk } from "./walk.ts";

/** What an engine is made of. */
export interface EngineParts {
  /** The stages, at least one. */
  readonly plans: readonly StagePlan[];
  readonly input: Input;
  readonly output: Output;
  readonly turn: Turn;
  /** How many chunks may wait between stages while the output has no room. */
  readonly maxQueued: number;
  /** Where a failure is noted. Without it each end fails as the standard has it: what a `cancel` throws comes out. */
  readonly firstFailure?: FirstFailure;
}

/** A chain of stages between an input and an output. It knows no operator. */
export class Engine implements ControllerHost<Stage> {
  readonly first: Stage;
  readonly #stages: readonly Stage[];
  readonly #output: Output;
  readonly #walk: Walk;
  readonly #ends: Ends;

  constructor({ plans, input, output, turn, maxQueued, firstFailure }: EngineParts) {
    const last = plans.length - 1;
    this.#stages = plans.map((plan, index) =>
      new Stage(plan, index, this, turn, output.isDirect && index === last)
    );
    this.first = this.#stages[0]!;
    this.#output = output;
    const events = {
      thrown: (stage: Stage, reason: unknown) => this.#ends.thrown(stage, reason),
      reachEnding: (stage: Stage) => this.#ends.reachEnding(stage),
    };
    this.#walk = new Walk(this.#stages, input, output, turn, maxQueued, events);
    this.#ends = new Ends(this.#stages, input, output, this.#walk, firstFailure);
  }

  /** Calls every `start`; of a promise of the first, `follow` makes the one that is waited for. */
  start(follow = (answer: Promise<unknown>) => answer): void {
    for (const stage of this.#stages) {
      let result: unknown;
      try {
        result = stage.start();
      } catch (reason) {
        throw this.#ends.failStart(stage, reason);
      }
      const pending = awaitable(result);
      if (pending !== undefined) {
        this.#walk.wait(stage, stage.index === 0 ? follow(pending) : pending);
      }
    }
  }

  /** Asked to go on when something has changed outside of `run`; default: `run`. */
  onResume(resume: () => void): void {
    this.#walk.resume = resume;
  }

  // What the input does.

  /** Takes a chunk. */
  feed(chunk: unknown): void {
    this.#walk.feed(chunk);
  }

  /** No chunk follows. Settles as the first stage's flush does. */
  end(): PromiseLike<void> {
    return this.#ends.end();
  }

  /** The source has failed. Settles as the first stage's cancel does. */
  abort(reason: unknown): PromiseLike<void> {
    return this.#ends.abort(reason);
  }

  /** Whether a chunk could walk at once to the output. */
  isClear(): boolean {
    return this.#walk.isClear();
  }

  /** Whether there is anything to do, or a chunk to be taken. */
  hasWork(): boolean {
    return this.#walk.hasReady || this.#output.hasRoom();
  }

  // What the output does.

  /** What the last stage gives is not wanted. Settles as its cancel does. */
  cancel(reason: unknown): PromiseLike<void> {
    return this.#ends.cancel(reason);
  }

  /** As `cancel`, of every stage at once, whatever hangs. */
  giveUp(reason: unknown): void {
    this.#ends.giveUp(reason);
  }

  /** Goes on as far as possible; tells whether the turn is over before that. */
  run(): boolean {
    return this.#walk.run();
  }

  /** Whether something waits in a stage. */
  get hasReady(): boolean {
    return this.#walk.hasReady;
  }

  /** Goes on, outside of `run`. */
  goOn(): void {
    this.#walk.resume();
  }

  /** Fulfils once everything that had to be cancelled has answered. */
  settled(): Promise<void> {
    return this.#ends.settled();
  }

  // What a stage's controller does.

  desiredSizeOf(stage: Stage): number | null {
    if (stage.readFailure !== undefined) return null;
    const next = this.#stages[stage.index + 1];
    const collected = stage.collector?.outCount ?? 0;
    // What is closed behind chunks that wait is not closed yet.
    if (next !== undefined) return stage.isOpen ? 0 - next.queue.length - collected : 0;
    return stage.isOpen || !this.#output.isEnded ? this.#output.desiredSize() - collected : 0;
  }

  enqueue(stage: Stage, chunk: unknown): void {
    if (!stage.isOpen) {
      throw new TypeError("Cannot enqueue: the readable side is closed, cancelled or errored");
    }
    try {
      this.#walk.emit(stage, chunk);
    } catch (reason) {
      this.#ends.fail(stage, reason);
      throw stage.readFailure === undefined ? reason : stage.readFailure.reason;
    }
  }

  fail(stage: Stage, reason: unknown): void {
    this.#ends.fail(stage, reason);
  }

  terminate(stage: Stage): void {
    this.#ends.terminate(stage);
  }
}
