import type { Engine } from "../engine/engine.ts";
import type { Driver, Entry, Input, Output, TurnBudget } from "../engine/ports.ts";

/** What a run asks of what is between its two ends. */
export type Chain = Pick<
  Engine,
  | "abort"
  | "addCounts"
  | "cancel"
  | "drive"
  | "end"
  | "enter"
  | "feed"
  | "abandon"
  | "goOn"
  | "hasWork"
  | "isClear"
  | "run"
  | "whenSettled"
  | "start"
>;

interface PipeParts {
  readonly input: Input;
  readonly output: Output;
  readonly turn: TurnBudget;
}

/** A chain of no stage: what the input gives is the output's at once. */
export class Pipe implements Chain {
  readonly #input: Input;
  readonly #output: Output;
  readonly #turn: TurnBudget;
  #isRunning = false;
  #mustRunAgain = false;
  #isStopped = false;
  #driver: Driver | undefined;

  constructor({ input, output, turn }: PipeParts) {
    this.#input = input;
    this.#output = output;
    this.#turn = turn;
  }

  start(): undefined {}

  addCounts(): void {}

  drive(driver: Driver): void {
    this.#driver = driver;
  }

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

  goOn(): void {
    if (this.#driver === undefined) this.run();
    else this.#driver.resume();
  }

  end(): Promise<void> {
    this.#output.end({ failed: false });
    return Promise.resolve();
  }

  abort(reason: unknown): Promise<void> {
    this.#output.end({ failed: true, reason });
    return Promise.resolve();
  }

  cancel(reason: unknown): Promise<void> {
    this.abandon(reason);
    return Promise.resolve();
  }

  abandon(reason: unknown): void {
    this.#isStopped = true;
    this.#input.stop(reason);
  }

  whenSettled(): Promise<void> {
    return Promise.resolve();
  }
}
