import { awaitable } from "../awaitable.ts";
import type { Counts } from "../kernels/kernel.ts";
import type { ControllerHost } from "./controller.ts";
import { Closing } from "./closing.ts";
import type { FirstFailure } from "./first_failure.ts";
import type { RunPlace } from "./run_failure.ts";
import type { Driver, Entry, Input, Output, TurnBudget } from "./ports.ts";
import type { StagePlan } from "./plan_stages.ts";
import { Stage } from "./stage.ts";
import { Scheduler } from "./scheduler.ts";

/** What an engine is made of. */
export interface EngineParts {
  /** The stages, at least one. */
  readonly plans: readonly StagePlan[];
  readonly input: Input;
  readonly output: Output;
  readonly turn: TurnBudget;
  /** How many chunks may wait between stages while the output has no room. */
  readonly maxQueued: number;
  /** Where a failure is noted. Without it each end fails as the standard has it: what a `cancel` throws comes out. */
  readonly firstFailure?: FirstFailure;
  /** How its run was called. */
  readonly place: RunPlace;
}

/** A chain of stages between an input and an output. It knows no operator. */
export class Engine implements ControllerHost<Stage> {
  readonly first: Stage;
  readonly #stages: readonly Stage[];
  readonly #output: Output;
  readonly #maxQueued: number;
  readonly #scheduler: Scheduler;
  readonly #closing: Closing;

  constructor(parts: EngineParts) {
    const { plans, input, output, turn, maxQueued } = parts;
    const last = plans.length - 1;
    this.#stages = plans.map((plan, index) =>
      new Stage(plan, index, this, turn, output.isDirect && index === last)
    );
    this.first = this.#stages[0]!;
    this.#output = output;
    this.#maxQueued = maxQueued;
    this.#scheduler = new Scheduler(this.#stages, input, output, turn, maxQueued, this);
    this.#closing = new Closing(this.#stages, parts, this.#scheduler);
  }

  /** Calls every `start`; of a promise of the first, `follow` makes the one that is waited for. */
  start(follow = (answer: Promise<unknown>) => answer): void {
    for (const stage of this.#stages) {
      let result: unknown;
      try {
        result = stage.start();
      } catch (reason) {
        throw this.#closing.failStart(stage, reason);
      }
      if (stage.many?.hasMore) {
        stage.setMore(true);
        this.#scheduler.markReady(stage);
      }
      const pending = awaitable(result);
      if (pending !== undefined) {
        this.#scheduler.wait(stage, stage.index === 0 ? follow(pending) : pending);
      }
    }
  }

  /** Asked to go on when something has changed outside of `run`; default: `run`. */
  drive(driver: Driver): void {
    this.#scheduler.driver = driver;
  }

  // What the input does.

  /** Takes a chunk. */
  feed(chunk: unknown): void {
    this.#scheduler.feed(chunk);
  }

  /** Goes on with what was under way before. */
  enter(entry: Entry): void {
    this.#scheduler.enter(entry);
  }

  /** No chunk follows. Settles as the first stage's flush does. */
  end(): PromiseLike<void> {
    return this.#closing.end();
  }

  /** The source has failed. Settles as the first stage's cancel does. */
  abort(reason: unknown): PromiseLike<void> {
    return this.#closing.abort(reason);
  }

  /** Whether a chunk could walk at once to the output. */
  isClear(): boolean {
    return this.#scheduler.isClear();
  }

  /** Whether there is anything to do, or a chunk to be taken. */
  hasWork(): boolean {
    return this.#output.hasRoom() || this.#scheduler.hasReady || this.#maxQueued > 0;
  }

  // What the output does.

  /** What the last stage gives is not wanted. Settles as its cancel does. */
  cancel(reason: unknown): PromiseLike<void> {
    return this.#closing.cancel(reason);
  }

  /** As `cancel`, of every stage at once, whatever hangs. */
  abandon(reason: unknown): void {
    this.#closing.abandon(reason);
  }

  /** Goes on as far as possible; tells whether the turn is over before that. */
  run(): boolean {
    return this.#scheduler.run();
  }

  /** Whether something waits in a stage. */
  get hasReady(): boolean {
    return this.#scheduler.hasReady;
  }

  /** Goes on, outside of `run`. */
  goOn(): void {
    this.#scheduler.resume();
  }

  /** Fulfils once everything that had to be cancelled has answered. */
  whenSettled(): Promise<void> {
    return this.#closing.whenSettled();
  }

  /** Adds what the stages have counted. */
  addCounts(counts: Counts): void {
    for (const stage of this.#stages) stage.addCounts(counts);
  }

  // What its scheduler asks.

  thrown(stage: Stage, reason: unknown): void {
    this.#closing.thrown(stage, reason);
  }

  reachEnding(stage: Stage): boolean {
    return this.#closing.reachEnding(stage);
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
      // Closed by a later stage, and about to learn of it: what it gives is dropped.
      if (!stage.isDone) return;
      throw new TypeError("Cannot enqueue: the readable side is closed, cancelled or errored");
    }
    try {
      this.#scheduler.emit(stage, chunk);
    } catch (reason) {
      this.#closing.fail(stage, reason);
      throw stage.readFailure === undefined ? reason : stage.readFailure.reason;
    }
  }

  fail(stage: Stage, reason: unknown): void {
    this.#closing.fail(stage, reason);
  }

  terminate(stage: Stage): void {
    this.#closing.terminate(stage);
  }

  wake(stage: Stage): void {
    if (!stage.isOpen) return;
    stage.setMore(true);
    this.#scheduler.markReady(stage);
    this.#scheduler.schedule();
  }
}
