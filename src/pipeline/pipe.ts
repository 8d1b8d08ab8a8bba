import type { Engine } from "../engine/engine.ts";
import type { Driver, Entry, Input, Output, TurnBudget } from "../engine/ports.ts";
import type { Stage } from "../engine/stage.ts";

/** What is between the two ends of a run; `Engine` says what each method does. */
export type Chain = Engine | Pipe;

interface PipeParts {
  readonly input: Input;
  readonly output: Output;
  readonly turn: TurnBudget;
}

/** A chain of no stage: what the input gives is the output's at once. */
export class Pipe {
  driver: Driver | undefined;
  readonly stages: readonly Stage[] = [];
  readonly #input: Input;
  readonly #output: Output;
  readonly #turn: TurnBudget;
  #isRunning = false;
  #mustRunAgain = false;
  #isStopped = false;

  constructor({ input, output, turn }: PipeParts) {
    this.#input = input;
    this.#output = output;
    this.#turn = turn;
  }

  start(): void {}

  addCounts(): void {}

  feed(chunk: unknown): void {
    if (!this.#isStopped) this.#output.writeOne(chunk);
  }

  enter({ slice }: Entry): void {
    this.feed(slice.takeFirst());
  }

  isClear(): boolean {
    return !this.#isStopped && this.#output.hasRoom();
  }

  hasWork(): boolean {
    return this.#output.hasRoom();
  }

  run(): boolean {
    this.#mustRunAgain = true;
    if (this.#isRunning) return false;
    this.#isRunning = true;
    try {
      while (this.#mustRunAgain) {
        this.#mustRunAgain = false;
        while (this.isClear() && this.#input.take()) if (this.#turn.isOver(1)) return true;
      }
      return false;
    } finally {
      this.#isRunning = false;
    }
  }

  resume(): void {
    this.driver!.resume();
  }

  end(): void {
    this.#output.end({ failed: false });
  }

  abort(reason: unknown): void {
    this.#output.end({ failed: true, reason });
  }

  cancel(reason: unknown): void {
    this.abandon(reason);
  }

  abandon(reason: unknown): void {
    this.#isStopped = true;
    this.#input.stop(reason);
  }

  whenSettled(): undefined {}
}
