import type { StagePlan } from "../engine/plan_stages.ts";
import type { Ending } from "../engine/ports.ts";
import { TimedTurn, yieldTurn } from "../engine/turn.ts";
import { Bell } from "./bell.ts";
import type { Ledger } from "./ledger.ts";
import type { LeasedMessage } from "./message.ts";
import { MessageRun } from "./message_run.ts";
import { MessageOutput } from "./output.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** Outputs that may lie behind `perMessage` before a message that gives more has to wait. */
const slack = 64;
const longestPauseMs = 16;

/** The messages that one stream of `perMessage` has in work. */
export class MessageRuns {
  readonly #controller: Controller;
  readonly #plans: readonly StagePlan[];
  readonly #concurrency: number;
  readonly #turn = new TimedTurn();
  readonly #changed = new Bell();
  readonly #runs = new Set<MessageRun>();
  #isCancelled = false;

  constructor(controller: Controller, plans: readonly StagePlan[], concurrency: number) {
    this.#controller = controller;
    this.#plans = plans;
    this.#concurrency = concurrency;
  }

  /** Begins a message; a promise tells when the next may come. */
  add(message: LeasedMessage): Promise<void> | undefined {
    const run = new MessageRun(this.#plans, message.body, this.#turn, {
      give: (value) => this.#give(message, value),
      end: (ending) => this.#end(message, run, ending),
    });
    run.start();
    if (run.isEnded) return;
    this.#runs.add(run);
    if (this.#runs.size >= this.#concurrency) return this.#waitFor(this.#concurrency - 1);
  }

  /** Fulfils once every message has come to its end. */
  finish(): Promise<void> | undefined {
    if (this.#runs.size > 0) return this.#waitFor(0);
  }

  /** Nobody wants anything any more: what is in work is left to be given back. */
  cancel(reason: unknown): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#changed.ring();
    // What is just giving its last output may end by itself.
    yieldTurn(() => {
      for (const run of this.#runs) run.cancel(reason);
      this.#runs.clear();
    });
  }

  async #waitFor(size: number): Promise<void> {
    while (this.#runs.size > size && !this.#isCancelled) await this.#changed.heard();
  }

  #end(message: LeasedMessage, run: MessageRun, ending: Ending): void {
    const ledger = message.ledger as Ledger;
    this.#runs.delete(run);
    if (!ending.failed) ledger.complete(message);
    else if (!this.#isCancelled) ledger.fail(message, ending.reason);
    this.#changed.ring();
  }

  #give(message: LeasedMessage, value: unknown): Promise<void> | undefined {
    // It was given back meanwhile: what it makes now is nobody's.
    if (message.phase !== "begun") throw new Error("The message is not ours any more");
    const controller = this.#controller;
    try {
      controller.enqueue(new MessageOutput(message, value));
    } catch (reason) {
      // The stream behind has ended: not the message's failure.
      this.cancel(reason);
      throw reason;
    }
    if ((controller.desiredSize ?? 0) < -slack) return this.#waitForRoom();
  }

  /** A transformer is not told when there is room again, so it looks. */
  async #waitForRoom(): Promise<void> {
    let pauseMs = 0;
    while ((this.#controller.desiredSize ?? 0) < -slack && !this.#isCancelled) {
      const ms = pauseMs;
      await new Promise<void>((resolve) => ms === 0 ? yieldTurn(resolve) : setTimeout(resolve, ms));
      pauseMs = Math.min(longestPauseMs, pauseMs * 2 || 1);
    }
  }
}
