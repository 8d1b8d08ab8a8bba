import { Engine } from "../engine/engine.ts";
import { FirstFailure } from "../engine/first_failure.ts";
import { noteFailure } from "../engine/note_failure.ts";
import type { StagePlan } from "../engine/plan_stages.ts";
import type { Ending, Input } from "../engine/ports.ts";
import type { RunPlace } from "../engine/run_failure.ts";
import { TimedTurnBudget, yieldTurn } from "../engine/turn_budget.ts";
import { InFlight } from "../in_flight.ts";
import { Demand } from "../kernels/demand.ts";
import { isOneKernel, NONE, type OneKernel, WAIT } from "../kernels/kernel.ts";
import { type OutputEvents, PushOutput } from "../pipeline/push_output.ts";
import { openSink } from "../pipeline/sink.ts";
import { TurnDriver } from "../pipeline/turn_driver.ts";
import type { Ledger } from "./ledger.ts";
import type { LeasedMessage } from "./message.ts";
import { MessageOutput } from "./output.ts";

/** One message in work. */
interface MessageWork {
  readonly isEnded: boolean;
  /** Begins; often that is also the end. */
  start(message: LeasedMessage): void;
  /** It is no longer wanted: it stops, even if something hangs. */
  cancel(reason: unknown): void;
}

/** Who a message is in work for. */
export interface RunHost {
  /** Takes an output; a promise tells when the next may come. What it throws ends the work. */
  give(message: LeasedMessage, value: unknown): Promise<void> | undefined;
  /** The work is over: all is given, or it has failed. Called once, and not after it was cancelled. */
  end(work: MessageWork, message: LeasedMessage, ending: Ending): void;
}

/** A message's walk through operators of one to one alone, which need no engine. */
export class KernelRun implements MessageWork {
  isEnded = false;
  readonly #host: RunHost;
  readonly #place: RunPlace;
  readonly #makers: readonly (() => OneKernel)[];
  readonly #kernels: OneKernel[];
  #message!: LeasedMessage;
  #begun = 0;

  constructor(host: RunHost, makers: readonly (() => OneKernel)[], place: RunPlace) {
    this.#host = host;
    this.#place = place;
    this.#makers = makers;
    this.#kernels = new Array(makers.length);
  }

  /** Begins, with kernels of the message's own. Mostly that is also the end: then another may be begun. */
  start(message: LeasedMessage): void {
    this.isEnded = false;
    this.#message = message;
    this.#begun = 0;
    this.#walk(message.body);
  }

  /** It is no longer wanted: the signals that its functions have abort, even if something hangs. */
  cancel(reason: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#stop(this.#begun, reason);
  }

  #stop(count: number, reason: unknown): void {
    for (let index = 0; index < count; index++) this.#kernels[index]!.stop(reason);
  }

  #walk(chunk: unknown): void {
    const makers = this.#makers;
    let isGiving = false;
    try {
      while (this.#begun < makers.length) {
        const kernel = makers[this.#begun]!();
        this.#kernels[this.#begun++] = kernel;
        const result = kernel.one(chunk);
        if (result === NONE) return this.#end();
        if (result === WAIT) return this.#wait(kernel, chunk);
        chunk = result;
      }
      isGiving = true;
      const room = this.#host.give(this.#message, chunk);
      if (room === undefined) this.#end();
      else room.then(() => this.#end());
    } catch (reason) {
      if (!isGiving) this.#note(reason);
      this.#fail(reason);
    }
  }

  #wait(kernel: OneKernel, chunk: unknown): void {
    Promise.resolve(kernel.takePromise()).then((value) => {
      if (this.isEnded) return;
      const settled = kernel.settle(value, chunk);
      if (settled === NONE) this.#end();
      else this.#walk(settled);
    }).catch((reason) => {
      this.#note(reason);
      this.#fail(reason);
    });
  }

  /** The stage that was begun last has failed with the message's body, or with what was made of that. */
  #note(reason: unknown): void {
    noteFailure(reason, this.#place, "stage", {
      index: this.#begun - 1,
      chunkIndex: 0,
    });
  }

  #fail(reason: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    // What those before it have begun is not wanted any more.
    this.#stop(this.#begun - 1, reason);
    this.#host.end(this, this.#message, { failed: true, reason });
  }

  #end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#host.end(this, this.#message, done);
  }
}

const done = { failed: false } as const;

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
