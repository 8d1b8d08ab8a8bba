import { awaitable, whenSettled } from "../awaitable.ts";
import { Completion } from "../completion.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import {
  type Answer,
  type Counts,
  DONE,
  FAILED,
  type ManyKernel,
  MORE,
  NONE,
  type OneKernel,
  type SteppingKernel,
  WAIT,
  WAITS,
} from "../kernels/kernel.ts";
import { Slice } from "../kernels/slice.ts";
import { queueMicrotask } from "../queue_microtask.ts";
import { Backlog } from "./backlog.ts";
import type { FirstFailure } from "./first_failure.ts";
import { noteFailure } from "./note_failure.ts";
import type { StagePlan } from "./plan_stages.ts";
import type { Driver, Ending, Entry, Failure, Input, Output, TurnBudget } from "./ports.ts";
import type { RunFailure, RunPlace } from "./run_failure.ts";
import { type ControllerHost, Stage } from "./stage.ts";

const done = Promise.resolve();

/** What an engine is made of: what chunks move through, and between. */
export interface EngineParts {
  /** The stages, at least one. */
  readonly plans: readonly StagePlan[];
  readonly input: Input;
  readonly output: Output;
  readonly turn: TurnBudget;
  /** How many chunks may wait between stages while the output has no room. */
  readonly maxQueued: number;
  /** Where a failure is noted. Without it each end fails as the standard has it: what a `cancel` throws comes out. */
  readonly firstFailure?: FirstFailure | undefined;
  /** How its run was called. */
  readonly place: RunPlace;
}

/**
 * A chain of stages between an input and an output. It knows no operator. Chunks that are taken walk through all stages
 * in a slice, until one of them waits or the output is full. What cannot go on waits in the queue of the next stage,
 * which is then ready; later stages go first.
 */
export class Engine implements ControllerHost {
  readonly stages: readonly Stage[];
  readonly first: Stage;
  readonly #input: Input;
  readonly #output: Output;
  #slice: Slice = new Slice();
  /** What drives it, if not itself. */
  driver: Driver | undefined = undefined;
  /** No chunk may enter. */
  #isStopped = false;
  readonly #turn: TurnBudget;
  readonly #maxQueued: number;
  readonly #last: Stage;
  readonly #backlog: Backlog;
  #movedCount = 0;
  #isRunning = false;
  /** The stage whose promise has settled, while nothing else has changed since the last run. */
  #settled: Stage | undefined;
  #mustRunAgain = false;
  #isScheduled = false;
  /** Called once there may be room behind a stage. */
  #looks: (() => void)[] | undefined;

  readonly #firstFailure: FirstFailure | undefined;
  readonly #place: RunPlace;
  /** Every cancel that is under way. */
  #cancelling: Promise<unknown> = done;
  /** How the first stage's flush will end, once its writable side was closed. */
  #closing: Completion | undefined;

  constructor({ plans, input, output, turn, maxQueued, firstFailure, place }: EngineParts) {
    this.#firstFailure = firstFailure;
    this.#place = place;
    const last = plans.length - 1;
    this.stages = plans.map((plan, index) =>
      new Stage(plan, index, this, turn, output.isDirect && index === last)
    );
    this.#input = input;
    this.#output = output;
    this.#turn = turn;
    this.#maxQueued = maxQueued;
    this.#backlog = new Backlog(this.stages);
    for (const stage of this.stages) {
      const next = this.stages[stage.index + 1];
      if (stage.stepping && next?.stepping) stage.nextStepping = next;
    }
    this.first = this.stages[0]!;
    this.#last = this.stages[last]!;
  }

  // How it begins.

  /** Calls every `start`; of a promise of the first, `follow` makes the one that is waited for. */
  start(follow = (answer: Promise<unknown>) => answer): void {
    for (const stage of this.stages) {
      let result: unknown;
      try {
        result = stage.start();
      } catch (reason) {
        throw this.#failStart(stage, reason);
      }
      if (stage.many?.hasMore) {
        stage.hasMore = true;
        this.#backlog.markReady(stage);
      }
      const pending = awaitable(result);
      if (pending !== undefined) {
        this.#wait(stage, stage.index === 0 ? follow(pending) : pending);
      }
    }
  }

  /** Adds what the stages have counted. */
  addCounts(counts: Counts): void {
    for (const stage of this.stages) stage.addCounts(counts);
  }

  // How chunks walk.

  /** Takes a chunk from the input. */
  feed(chunk: unknown): void {
    if (this.#backlog.readyCount === 0 && this.#output.hasRoom()) {
      this.#walkOne(chunk, 0, this.stages.length);
    } else this.#walkOne(chunk, 0, this.#findStop(0));
  }

  /** Goes on with what was under way before. */
  enter({ slice, index, ran, failure }: Entry): void {
    this.#slice = slice;
    this.#isRunning = true;
    const stage = this.stages[index];
    if (stage !== undefined && ran !== undefined) {
      if (failure !== undefined) this.#failAfterKept(stage, failure.reason);
      else if (stage.one === undefined) this.#accept(stage, ran as Answer);
      else this.#acceptOne(stage, stage.one, ran);
      index++;
    }
    this.#walk(index);
    this.#isRunning = false;
  }

  /** Whether a chunk could walk at once to the output. */
  isClear(): boolean {
    return this.#backlog.readyCount === 0 && !this.#isStopped && !this.first.isBusy &&
      this.#output.hasRoom();
  }

  /** Whether something waits in a stage. */
  get hasReady(): boolean {
    return this.#backlog.readyCount > 0;
  }

  /** Whether there is anything to do, or a chunk to be taken. */
  hasWork(): boolean {
    return this.#output.hasRoom() || this.hasReady || this.#maxQueued > 0;
  }

  /** Goes on when something has changed outside of `run`. */
  resume(): void {
    if (this.driver === undefined) this.run();
    else this.driver.resume();
  }

  /** Goes on as far as possible; tells whether the turn is over before that. */
  run(): boolean {
    if (this.#isRunning) {
      this.#backlog.rewind();
      this.#mustRunAgain = true;
      return false;
    }
    this.#isRunning = true;
    try {
      do {
        if (this.#settled === undefined || this.#mustRunAgain) this.#backlog.rewind();
        else this.#backlog.beginAt(this.#settled);
        this.#mustRunAgain = false;
        while (this.#step()) if (this.#turn.isOver(this.#movedCount)) return true;
      } while (this.#mustRunAgain);
      return false;
    } catch (reason) {
      // A promise has called back, or a task: there is no caller to throw to, and so the chain fails.
      this.#thrown(this.#last, reason);
      return false;
    } finally {
      this.#isRunning = false;
      if (this.#looks !== undefined) this.tellRoom();
    }
  }

  whenRoom(stage: Stage, look: () => void): void {
    (this.#looks ??= []).push(look);
    // What it gathers goes on without being seen here.
    if (stage.collector !== undefined) this.#schedule();
  }

  /** There may be room behind some stage. */
  tellRoom(): void {
    const looks = this.#looks;
    this.#looks = undefined;
    looks?.forEach((look) => look());
  }

  /** Goes on soon. */
  #schedule(): void {
    if (this.#isRunning || this.#isScheduled) {
      this.#mustRunAgain = true;
      return;
    }
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.resume();
    });
  }

  /** Lets the stage's kernel give more. */
  wake(stage: Stage): void {
    if (!stage.isOpen) return;
    stage.hasMore = true;
    this.#backlog.markReady(stage);
    this.#schedule();
  }

  /** Gives a chunk that a stage made outside of its slice. */
  #emit(stage: Stage, chunk: unknown): void {
    if (!stage.isOpen) return;
    const next = this.stages[stage.index + 1];
    if (next === undefined) this.#output.writeOne(chunk);
    else if (next.isOpen) this.#backlog.push(next, chunk);
    if (!this.#isRunning) this.#schedule();
  }

  /** Passes on what a stage has gathered so far, as far as its next neighbour. */
  #giveCollected(stage: Stage): void {
    const slice = this.#slice;
    if (slice.outCount === 0) return;
    const { out, outCount } = slice;
    slice.outCount = 0;
    for (let i = 0; i < outCount; i++) {
      this.#emit(stage, out[i]);
      out[i] = undefined;
    }
  }

  /** Waits for a promise of a stage's `start`, or for one that says what a method threw. */
  #wait(stage: Stage, promise: unknown): void {
    stage.beginWait(whenSettled(
      promise,
      () => this.#endWait(stage),
      (reason) => this.failWait(stage, reason),
    ));
  }

  /** What the stage's kernel waited for is there. It is busy until it has given that: a chunk may let the next one in. */
  settle(stage: Stage, value: unknown, chunk: unknown): void {
    const { one, stepping } = stage;
    if (stage.isOpen) {
      try {
        if (one !== undefined) {
          const settled = one.settle(value, chunk);
          if (settled !== NONE) this.#forward(stage, settled);
        } else if (stepping !== undefined) return this.#settleStep(stage, stepping);
        else this.#settleMany(stage, stage.many!, value);
      } catch (reason) {
        return this.failWait(stage, reason);
      }
    }
    stage.endWait();
    if (one === undefined || !this.#isQuiet()) this.#goOnAfter(stage);
    else if (stage.index > 0) this.driver!.handleChange();
    else this.#takeNext(stage);
  }

  /** Takes a chunk into the first stage, where a run would do only that. */
  #takeNext(first: Stage): void {
    // A chunk may have waited in each stage since.
    const isOver = this.#turn.isOver(this.stages.length);
    if (isOver || !this.driver!.mayGoOn() || !this.#canAccept()) return this.resume();
    this.#isRunning = true;
    let hasTaken = false;
    try {
      hasTaken = this.#input.take();
    } catch (reason) {
      this.#thrown(this.#last, reason);
    }
    this.#isRunning = false;
    if ((first.isBusy || !hasTaken) && this.#isQuiet()) this.driver!.handleChange();
    else this.resume();
  }

  /** Whether nothing waits but stages for their promises, and is driven by a run, which no native stream looks on. */
  #isQuiet(): boolean {
    return this.#backlog.readyCount === 0 && !this.#isRunning && !this.#mustRunAgain &&
      this.driver !== undefined;
  }

  /** What the stage waited for has failed. */
  failWait(stage: Stage, reason: unknown): void {
    stage.endWait();
    this.#thrown(stage, reason);
    this.#goOnAfter(stage);
  }

  #endWait(stage: Stage): void {
    stage.endWait();
    this.#goOnAfter(stage);
  }

  #settleMany(stage: Stage, kernel: ManyKernel, value: unknown): void {
    kernel.settle(value, (chunk) => this.#emit(stage, chunk));
    stage.hasMore = kernel.hasMore;
  }

  /** A kernel that gives by itself gives, asks or has ended; one that gave is resumed at once where nothing else could go first. */
  #settleStep(stage: Stage, kernel: SteppingKernel): void {
    const given = kernel.takeGiven();
    if (given !== NONE) {
      this.#forward(stage, given);
      stage.pending = undefined;
      if (kernel.hasMore && this.#mayResume(stage) && kernel.resume()) return;
    }
    stage.hasMore = kernel.hasMore;
    stage.endWait();
    // Where it asks and nothing waits, only the input can go on for that.
    if (
      stage.index === 0 || given !== NONE || stage.hasMore || stage.ending !== undefined ||
      this.#backlog.readyCount > 0
    ) this.#goOnAfter(stage);
    else this.driver?.handleChange();
  }

  #mayResume(stage: Stage): boolean {
    return stage.isOpen && !this.#isRunning && !this.#mustRunAgain &&
      this.#backlog.readyCount === 0 && this.#mayRun(stage) && !this.#turn.isOver(1);
  }

  /** Gives what such a kernel made straight to the one behind it, if that asks for it; tells whether it did. */
  passOn(stage: Stage, result: IteratorResult<unknown, unknown>): boolean {
    const next = stage.nextStepping;
    if (
      next === undefined || !next.isFree || !stage.isOpen || this.#isRunning ||
      !this.#mayRun(next) || this.#turn.isOver(1) || !next.stepping!.takeResult(result)
    ) return false;
    next.beginWait();
    return true;
  }

  /** Gives a chunk that was waited for; it walks on at once where nothing else could go first. */
  #forward(stage: Stage, chunk: unknown): void {
    const isFirst = stage.index === 0 && this.#output.isDirect;
    if (isFirst || this.#isRunning || !this.#output.hasRoom()) return this.#emit(stage, chunk);
    this.#isRunning = true;
    const { length } = this.stages;
    const stop = this.#backlog.readyCount === 0 ? length : this.#findStop(stage.index + 1);
    this.#walkOne(chunk, stage.index + 1, stop);
    this.#isRunning = false;
  }

  #goOnAfter(stage: Stage): void {
    if (stage.queue.length > 0 || stage.hasMore || stage.ending !== undefined) {
      this.#backlog.markReady(stage);
    }
    if (stage.index === 0 && !stage.hasMore) this.#input.handleSettled();
    this.#settled = stage;
    this.resume();
    this.#settled = undefined;
  }

  #canAccept(): boolean {
    if (this.#isStopped) return false;
    const first = this.first;
    return !first.isBusy && !first.hasMore && first.queue.length === 0 && this.#mayRun(first) &&
      (this.#backlog.queuedCount < this.#maxQueued || this.#output.hasRoom());
  }

  #mayRun(stage: Stage): boolean {
    if (stage === this.#last) return this.#output.hasRoom();
    if (this.#backlog.readyCount === 0) return true;
    const next = this.stages[stage.index + 1]!;
    return !next.isReady || (next.queue.length === 0 && !next.hasMore);
  }

  /** Whether the last stage, a generator, may see if it ends, though there is no room: an end needs none. */
  #mayEnd(stage: Stage): boolean {
    return stage === this.#last && stage.ending?.failed === false &&
      stage.many?.end !== undefined && this.#output.isEmpty?.() === true;
  }

  #step(): boolean {
    this.#movedCount = 1;
    if (this.#backlog.handleAny(this)) return true;
    return this.#canAccept() && this.#input.take();
  }

  /** Does what is to be done in a ready stage; tells whether anything was. */
  handle(stage: Stage): boolean {
    if (stage.isBusy) return false;
    if (stage.hasMore) {
      if (!this.#mayRun(stage) && !this.#mayEnd(stage)) return false;
      this.#goOn(stage);
      return true;
    }
    if (stage.queue.length > 0) {
      if (!this.#mayRun(stage)) return false;
      if (stage.queue.length === 1 && stage.ending === undefined && stage.one !== undefined) {
        this.#walkOne(this.#backlog.takeOnly(stage), stage.index, this.#findStop(stage.index));
        return true;
      }
      const slice = this.#slice;
      // Of one that waits, most often the next chunk does, too.
      this.#backlog.take(stage, slice, !stage.hasWaited ? this.#turn.sliceSize : 1);
      this.#movedCount = slice.count;
      this.#walk(this.#process(stage));
      return true;
    }
    this.#backlog.unmark(stage);
    return this.#reachEnding(stage);
  }

  /** Lets a kernel give more of its last chunk. */
  #goOn(stage: Stage): void {
    const slice = this.#slice;
    stage.hasMore = false;
    slice.limit = this.#turn.sliceSize;
    slice.taken = slice.count = 0;
    this.#accept(stage, stage.many!.more(slice));
    if (stage.index === 0 && !stage.hasMore && !stage.isBusy) this.#input.handleSettled();
    this.#walk(stage.index + 1);
  }

  /** Lets the slice walk on from the stage at `index`. */
  #walk(index: number): void {
    const { stages } = this;
    const slice = this.#slice;
    while (slice.count > 0) {
      const stage = stages[index];
      if (stage === undefined) return this.#writeOut();
      if (!stage.isOpen) slice.truncate(0);
      else if (
        stage.isBusy || (stage.isReady && (stage.queue.length > 0 || stage.hasMore)) ||
        !this.#mayRun(stage)
      ) this.#backlog.park(stage, slice);
      else index = this.#process(stage);
    }
  }

  /** Runs the stage over the slice; answers the index of the stage that is next. */
  #process(stage: Stage): number {
    const slice = this.#slice;
    const { one } = stage;
    if (one === undefined) {
      slice.limit = this.#turn.sliceSize;
      this.#accept(stage, stage.many!.run(slice));
    } else {
      try {
        this.#acceptOne(stage, one, one.run(slice));
      } catch (reason) {
        this.#failAfterKept(stage, reason);
      }
    }
    return stage.index + 1;
  }

  /** Deals with what a kernel of one to one has done of the slice. */
  #acceptOne(stage: Stage, kernel: OneKernel, i: number): void {
    const slice = this.#slice;
    if (i < slice.count) {
      this.#backlog.putBack(stage, slice, i + 1);
      stage.awaitKernel(kernel.takePromise(), slice.items[i]);
    }
    if (slice.kept < slice.count) slice.truncate(slice.kept);
  }

  /** A kernel of one to one threw: what it had kept goes on before that is known. */
  #failAfterKept(stage: Stage, reason: unknown): void {
    const slice = this.#slice;
    slice.truncate(slice.kept);
    if (this.stages[stage.index + 1] === undefined && slice.count > 0) this.#writeOut();
    this.#throw(stage, reason);
  }

  /** A method threw: to a standard stream that looks on, its promise was rejected, which it notices a step later. */
  #throw(stage: Stage, reason: unknown): void {
    if (this.#output.isDirect) this.#wait(stage, Promise.reject(reason));
    else this.#thrown(stage, reason);
  }

  /** The first stage from `index` on that may not run now. */
  #findStop(index: number): number {
    const { stages } = this;
    while (index < stages.length && stages[index]!.isFree && this.#mayRun(stages[index]!)) index++;
    return index;
  }

  /** Lets one chunk walk by itself from the stage at `index`, as far as each makes one of it, and not past `stop`. */
  #walkOne(chunk: unknown, index: number, stop: number): void {
    const { stages } = this;
    const slice = this.#slice;
    try {
      for (; index < stop; index++) {
        const stage = stages[index]!;
        if (!stage.isFree) break;
        const kernel = stage.one;
        if (kernel === undefined) {
          if (stage.stepping?.takeResult({ value: chunk, done: false })) return stage.beginWait();
          slice.load(chunk);
          slice.limit = this.#turn.sliceSize;
          const answer = stage.many!.run(slice);
          if (answer !== DONE || slice.outCount !== 1) return this.#walkOn(stage, answer);
          chunk = slice.takeOnly();
          continue;
        }
        const result = kernel.one(chunk);
        if (typeof result === "symbol") {
          if (result === NONE) return;
          if (result === WAIT) return stage.awaitKernel(kernel.takePromise(), chunk);
        }
        chunk = result;
      }
      if (index === stages.length) return this.#output.writeOne(chunk);
    } catch (reason) {
      const stage = stages[index];
      if (stage === undefined) return this.#thrown(this.#last, reason);
      return this.#throw(stage, reason);
    }
    slice.load(chunk);
    this.#walk(index);
  }

  /** Lets what the stage's kernel gave walk on as a slice. */
  #walkOn(stage: Stage, answer: Answer): void {
    this.#accept(stage, answer);
    this.#walk(stage.index + 1);
  }

  /** Deals with what a kernel of many answered; what it gave is the slice from now on. */
  #accept(stage: Stage, answer: Answer): void {
    const slice = this.#slice;
    if (answer === DONE && slice.taken === slice.count) slice.swap();
    else this.#acceptPart(stage, answer);
    const { count } = slice;
    if (count <= 1) return;
    if (count > this.#movedCount) this.#movedCount = count;
    if (count <= this.#turn.sliceSize) return;
    // More than a slice: the others wait in the queue.
    const next = this.stages[stage.index + 1];
    if (next?.isOpen) this.#backlog.park(next, slice);
  }

  /** The kernel is not done with all it was given. */
  #acceptPart(stage: Stage, answer: Answer): void {
    const slice = this.#slice;
    const { taken, count } = slice;
    this.#backlog.putBack(stage, slice, taken);
    if (answer === WAITS) {
      const { promise } = slice;
      slice.promise = undefined;
      stage.awaitKernel(promise, undefined);
    } else if (answer === MORE && stage.isOpen) stage.hasMore = true;
    if (taken < count) slice.truncate(0);
    slice.swap();
    if (taken < count || answer === MORE) this.#backlog.markReady(stage);
    if (answer === FAILED) {
      if (stage === this.#last && slice.count > 0) this.#writeOut();
      const { reason } = slice;
      slice.reason = undefined;
      this.#throw(stage, reason);
    }
  }

  #writeOut(): void {
    const slice = this.#slice;
    try {
      if (slice.count === 1) this.#output.writeOne(slice.items[0]);
      else this.#output.write(slice.items, slice.count);
    } catch (reason) {
      this.#thrown(this.#last, reason);
    }
    slice.truncate(0);
  }

  // What a stage's controller does.

  desiredSizeOf(stage: Stage): number | null {
    if (stage.readFailure !== undefined) return null;
    const next = this.stages[stage.index + 1];
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
      this.#emit(stage, chunk);
    } catch (reason) {
      this.fail(stage, reason);
      throw stage.readFailure === undefined ? reason : stage.readFailure.reason;
    }
  }

  // How streams end. Each stage has the two sides of a `TransformStream`; where one ends, its neighbour's does in the same
  // step, and learns of it by its flush, cancel or abort a step later, as through a pipe.

  /** No chunk follows: the first stage's writable side closes. */
  end(): Completion {
    const first = this.first;
    this.#isStopped = true;
    if (first.finish !== undefined) return first.finish;
    if (first.writeFailure !== undefined) return Completion.rejected(first.writeFailure.reason);
    const closing = this.#closing = new Completion();
    first.ending = { failed: false };
    this.#backlog.markReady(first);
    this.resume();
    return closing;
  }

  /** The input has failed: the first stage's writable side is aborted, once what it does is done. */
  abort(reason: unknown): Completion {
    const first = this.first;
    this.#isStopped = true;
    const abort = (): Completion => {
      const finish = this.#abort(first, reason);
      this.#schedule();
      return finish;
    };
    const pending = first.isBusy ? first.work : undefined;
    if (first.finish !== undefined || pending === undefined) return abort();
    // A standard stream has waited by itself, and only learns a moment earlier how a start has settled.
    if (this.#output.isDirect) return abort();
    const later = new Completion();
    const goOn = () => later.follow(abort());
    void pending.then(goOn, goOn);
    return later;
  }

  /** The output wants no more: the last stage's readable side is cancelled. */
  cancel(reason: unknown): Completion {
    return this.#cancel(this.stages.at(-1)!, reason);
  }

  /** Nothing is waited for: every stage's cancel is called at once. */
  abandon(reason: unknown): void {
    for (const stage of this.stages.toReversed()) this.#cancel(stage, reason);
  }

  /** The stage's `start` threw: it and all after it never were. Answers the reason that counts. */
  #failStart(stage: Stage, thrown: unknown): unknown {
    const { reason } = this.#note(stage, thrown);
    for (const later of this.stages.slice(stage.index)) {
      this.#backlog.empty(later);
      later.closeReadable();
      later.setDone(Completion.fulfilled());
    }
    this.#isStopped = true;
    const before = this.stages[stage.index - 1];
    if (before === undefined) this.#input.stop(reason);
    else this.#cancel(before, reason);
    return reason;
  }

  /** `controller.error` was called. */
  fail(stage: Stage, reason: unknown): void {
    this.#leave(stage, { failed: true, reason }, reason);
  }

  /** `controller.terminate` was called. */
  terminate(stage: Stage): void {
    const reason = new TypeError("Cannot write: a later stage has ended the stream");
    this.#leave(stage, { failed: false }, reason);
  }

  /** A method of the stage threw. */
  #thrown(stage: Stage, reason: unknown): void {
    stage.thrown = { failed: true, reason };
    this.fail(stage, reason);
  }

  /** All that waited in the stage is gone; tells whether its input's end was dealt with. */
  #reachEnding(stage: Stage): boolean {
    const { ending } = stage;
    if (ending === undefined || stage.isDone || !stage.isOpen) return false;
    if (ending.failed) this.#abort(stage, ending.reason);
    else if (stage.many?.end?.()) {
      stage.hasMore = true;
      this.#backlog.markReady(stage);
    } else this.#flush(stage);
    return true;
  }

  /** Fulfils once everything that had to be cancelled has answered. */
  async whenSettled(): Promise<void> {
    let seen;
    do {
      seen = this.#cancelling;
      await seen;
    } while (seen !== this.#cancelling);
  }

  /** A stage has failed. Answers the failure that counts. */
  #note(stage: Stage, reason: unknown): Failure {
    const at = this.#placeOf(stage, reason);
    return this.#firstFailure?.note(reason, at) ?? { failed: true, reason };
  }

  #placeOf(stage: Stage, reason: unknown): RunFailure {
    return noteFailure(reason, this.#place, "stage", stage);
  }

  /** The stage ends by itself: what is after it gets `ending`, what is before it is refused for `reason`. */
  #leave(stage: Stage, ending: Ending, reason: unknown): void {
    const isLast = stage.index === this.stages.length - 1;
    if (stage.isOpen) {
      // What it has gathered goes before its end.
      if (stage.collector !== undefined) this.#giveCollected(stage);
      if (ending.failed) ({ reason } = ending = this.#note(stage, reason));
      this.#closeReadable(stage, ending);
    } else if (
      ending.failed && stage.readFailure === undefined && isLast && !this.#output.isEnded
    ) {
      ({ reason } = ending = this.#note(stage, reason));
      stage.readFailure = ending;
      this.#output.end(ending);
    } else if (ending.failed) {
      // Only what is before it learns of this, and of the run's failure first.
      ({ reason } = this.#firstFailure?.failure ?? ending);
    }
    stage.collectIn(undefined);
    if (!stage.isDone) stage.setDone(Completion.fulfilled());
    this.#refuse(stage, reason);
    this.#schedule();
  }

  /** Nothing more leaves the stage; what is after it gets `ending`. */
  #closeReadable(stage: Stage, ending: Ending): void {
    stage.closeReadable();
    if (ending.failed) stage.readFailure = ending;
    this.tellRoom();
    const next = this.stages[stage.index + 1];
    if (next === undefined) return this.#output.end(ending);
    next.ending = ending;
    this.#backlog.markReady(next);
  }

  /** The stage takes no more: its writable side fails, and so the readable side before it is cancelled. */
  #refuse(stage: Stage, reason: unknown): void {
    if (stage.writeFailure !== undefined) return;
    stage.failInput(reason);
    this.#isStopped = true;
    this.#backlog.empty(stage);
    stage.drop();
    const before = this.stages[stage.index - 1];
    if (before === undefined) {
      this.#input.stop(reason);
      if (this.#closing !== stage.finish) this.#closing?.reject(reason);
      return;
    }
    this.#closeUpTo(before);
    this.#keepCancelling(done.then(() => this.#cancel(before, reason)));
  }

  #closeUpTo(last: Stage): void {
    for (let i = last.index; i >= 0 && this.stages[i]!.isOpen; i--) {
      const stage = this.stages[i]!;
      this.#backlog.empty(stage);
      stage.closeReadable();
      stage.collectIn(undefined);
    }
    // What waits for room goes on: what it gives is dropped.
    this.tellRoom();
  }

  /** The stage's input has ended. */
  #flush(stage: Stage): void {
    if (stage.finish !== undefined) return;
    const finish = (stage.index === 0 ? this.#closing : undefined) ?? new Completion();
    stage.setDone(finish);
    const flushed = this.#callFlush(stage);
    // Where a standard stream looks on, its readable side closes a step after the flush, as natively.
    if (flushed === undefined && (stage.index > 0 || !this.#output.isDirect)) {
      this.#endFlush(stage);
      finish.resolve();
      return;
    }
    stage.beginFlush();
    (flushed ?? done).then(() => {
      stage.endFlush();
      this.#endFlush(stage);
      if (stage.readFailure === undefined) finish.resolve();
      else finish.reject(stage.readFailure.reason);
    }, (reason) => {
      stage.endFlush();
      this.#thrown(stage, reason);
      finish.reject(reason);
    });
  }

  /** Answers a promise if it takes time, or fails. */
  #callFlush(stage: Stage): Promise<unknown> | undefined {
    if (!stage.hasFlush) return;
    stage.collectIn(this.#slice);
    try {
      const result = stage.callFlush();
      return isPromiseLike(result) ? new Promise((resolve) => resolve(result)) : undefined;
    } catch (reason) {
      return Promise.reject(reason);
    } finally {
      stage.collectIn(undefined);
      this.#giveCollected(stage);
    }
  }

  #endFlush(stage: Stage): void {
    if (!stage.isOpen) return;
    this.#closeReadable(stage, { failed: false });
    this.resume();
  }

  /** The stage's input has failed. */
  #abort(stage: Stage, reason: unknown): Completion {
    if (stage.finish !== undefined) return stage.finish;
    const drained = stage.isOpen ? awaitable(stage.drainOnce(reason)) : undefined;
    if (drained !== undefined) return this.#abortLater(stage, drained, reason);
    const finish = new Completion();
    stage.setDone(finish);
    stage.failInput(reason);
    this.#backlog.empty(stage);
    stage.drop();
    const cancelled = stage.callCancel(reason);
    // A stage that has no cancel need not be waited for, except where a standard stream looks on.
    if (!stage.hasCancel && stage.index > 0) {
      cancelled.catch(() => {});
      this.#passOn(stage, { failed: true, reason });
      finish.resolve();
      return finish;
    }
    cancelled.then(() => {
      if (stage.readFailure !== undefined) return finish.reject(stage.readFailure.reason);
      this.#passOn(stage, { failed: true, reason });
      finish.resolve();
    }, (other) => {
      this.#passOn(stage, this.#note(stage, other));
      finish.reject(other);
    });
    return finish;
  }

  /** What the stage has begun was made before its input failed, and so is passed on, or fails, before that. */
  #abortLater(stage: Stage, drained: Promise<unknown>, reason: unknown): Completion {
    const later = new Completion();
    stage.beginWait();
    // It stays busy: it is done from here on.
    drained.then(() => later.follow(this.#abort(stage, reason)), (earlier) => {
      stage.endWait();
      if (stage.isOpen) this.#firstFailure?.noteEarlier(earlier, this.#placeOf(stage, earlier));
      this.#thrown(stage, earlier);
      later.reject(earlier);
    });
    return later;
  }

  #passOn(stage: Stage, failure: Failure): void {
    if (!stage.isOpen) return;
    this.#closeReadable(stage, failure);
    this.resume();
  }

  /** What the stage gives is not wanted. */
  #cancel(stage: Stage, reason: unknown): Completion {
    this.#closeUpTo(stage);
    this.#isStopped = true;
    if (stage.finish !== undefined) {
      if (stage.isFlushing) this.#stopFlush(stage, stage.finish, reason);
      return stage.finish;
    }
    const finish = new Completion();
    stage.setDone(finish);
    stage.callCancel(reason).then(() => {
      // Its writable side has failed meanwhile, by `error` or by an abort.
      const failure = stage.index === 0 ? this.#input.errored : stage.writeFailure;
      if (failure !== undefined) return finish.reject(failure.reason);
      this.#refuse(stage, reason);
      finish.resolve();
    }, (other) => {
      // After an early end nothing has failed: only what is before it learns of this, as through a pipe.
      this.#refuse(stage, (this.#firstFailure?.failure ?? { reason: other }).reason);
      finish.reject(other);
    });
    this.#keepCancelling(finish);
    return finish;
  }

  /** What the stage still waits for is not wanted: one of ours ends that, any other is flushed to its end. */
  #stopFlush(stage: Stage, finish: Completion, reason: unknown): void {
    const stopped = stage.stopFlush(reason);
    if (stopped === undefined) return;
    stopped.then(() => finish.resolve(), (other) => finish.reject(other));
    this.#keepCancelling(finish);
  }

  #keepCancelling(cancelled: PromiseLike<unknown>): void {
    const settled = new Promise<void>((resolve) =>
      cancelled.then(() => resolve(), () => resolve())
    );
    this.#cancelling = Promise.all([this.#cancelling, settled]);
  }
}
