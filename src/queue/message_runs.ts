import type { StagePlan } from "../engine/plan_stages.ts";
import type { Ending } from "../engine/ports.ts";
import type { RunPlace } from "../engine/run_failure.ts";
import { TimedTurnBudget, yieldTurn } from "../engine/turn_budget.ts";
import { isOneKernel, type OneKernel } from "../kernels/kernel.ts";
import { InFlight } from "../in_flight.ts";
import { Demand } from "../kernels/demand.ts";
import { KernelRun } from "./kernel_run.ts";
import type { Ledger } from "./ledger.ts";
import type { LeasedMessage } from "./message.ts";
import { MessageRun } from "./message_run.ts";
import { MessageOutput } from "./output.ts";
import type { MessageWork, RunHost } from "./run_host.ts";

/** What makes the kernels of stages that are operators of one to one, if all are. */
function oneKernels(plans: readonly StagePlan[]): (() => OneKernel)[] | undefined {
  const makers: (() => OneKernel)[] = [];
  for (const { makeKernel, open, start, transform, flush, cancel } of plans) {
    if ([open, start, flush, cancel].some((member) => member !== undefined)) return undefined;
    const kernel = makeKernel?.();
    if (kernel !== undefined && isOneKernel(kernel) && kernel.flush === undefined) {
      makers.push(makeKernel as () => OneKernel);
    } else if (makeKernel !== undefined || transform !== undefined) return undefined;
  }
  return makers;
}

type Controller = TransformStreamDefaultController<unknown>;

/** Outputs that may lie behind `perMessage` before a message that gives more has to wait. */
const maxQueued = 64;

/** The messages that one stream of `perMessage` has in work. */
export class MessageRuns implements RunHost {
  readonly #controller: Controller;
  readonly #plans: readonly StagePlan[];
  readonly #place: RunPlace;
  readonly #turn = new TimedTurnBudget();
  readonly #inFlight: InFlight;
  readonly #demand: Demand;
  readonly #runs = new Set<MessageWork>();
  /** Where every stage is an operator of one to one. */
  readonly #makers: readonly (() => OneKernel)[] | undefined;
  /** The last one, if it ended at once: nothing refers to it any more. */
  #reusable: KernelRun | undefined;
  #isCancelled = false;

  constructor(
    controller: Controller,
    plans: readonly StagePlan[],
    concurrency: number,
    place: RunPlace,
  ) {
    this.#controller = controller;
    this.#plans = plans;
    this.#place = place;
    this.#inFlight = new InFlight(concurrency);
    this.#demand = new Demand(controller);
    this.#makers = oneKernels(plans);
  }

  /** Begins a message; a promise tells when the next may come. */
  add(message: LeasedMessage): Promise<void> | undefined {
    // It was given back while it waited for its turn: another worker may have begun it.
    if (message.phase !== "begun") return;
    const run = this.#makeRun(message);
    run.start(message);
    if (run.isEnded) {
      if (run instanceof KernelRun) this.#reusable = run;
      return;
    }
    this.#runs.add(run);
    this.#inFlight.begin();
    if (this.#inFlight.isFull) return this.#until(() => !this.#inFlight.isFull);
  }

  #makeRun(message: LeasedMessage): MessageWork {
    const place = this.#place;
    if (this.#makers === undefined) {
      return new MessageRun(this, message, this.#plans, place, this.#turn);
    }
    const run = this.#reusable ?? new KernelRun(this, this.#makers, place);
    this.#reusable = undefined;
    return run;
  }

  /** Fulfils once every message has come to its end. */
  finish(): Promise<void> | undefined {
    if (this.#inFlight.count > 0) return this.#until(() => this.#inFlight.count === 0);
  }

  /** Nothing is wanted any more: what is in work is left to be given back. */
  cancel(reason: unknown): void {
    this.#isCancelled = true;
    this.#inFlight.notifyAll();
    this.#demand.askNow();
    // What is just giving its last output may end by itself.
    yieldTurn(() => {
      for (const run of this.#runs) run.cancel(reason);
      this.#runs.clear();
    });
  }

  #until(isSo: () => boolean): Promise<void> {
    return this.#inFlight.until(() => this.#isCancelled || isSo());
  }

  end(run: MessageWork, message: LeasedMessage, ending: Ending): void {
    const ledger = message.ledger as Ledger;
    const wasInWork = this.#runs.delete(run);
    if (!ending.failed) ledger.complete(message);
    else if (!this.#isCancelled) ledger.fail(message, ending.reason);
    if (wasInWork) this.#inFlight.end();
  }

  give(message: LeasedMessage, value: unknown): Promise<void> | undefined {
    // It was given back meanwhile: what it makes now is dropped.
    if (message.phase !== "begun") throw new Error("The message is not ours any more");
    const controller = this.#controller;
    try {
      controller.enqueue(new MessageOutput(message, value));
    } catch (reason) {
      // The stream behind has ended: not the message's failure.
      this.cancel(reason);
      throw reason;
    }
    if (!this.#mayGoOn()) return this.#demand.share(() => this.#mayGoOn());
  }

  #mayGoOn(): boolean {
    return this.#isCancelled || (this.#controller.desiredSize ?? 0) >= -maxQueued;
  }
}
