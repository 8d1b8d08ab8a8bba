// Over 200 lines: the steps of moving a slice call each other; what waits between them is in backlog.ts.
import {
  type Answer,
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
import { Completion } from "../completion.ts";
import { Slice } from "../kernels/slice.ts";
import { whenSettled } from "../awaitable.ts";
import { KernelWait } from "./kernel_wait.ts";
import { Backlog } from "./backlog.ts";
import { type Block, findBlocks } from "./blocks.ts";
import type { Driver, Entry, Input, Output, TurnBudget } from "./ports.ts";
import type { ControllerHost } from "./controller.ts";
import type { StagePlan } from "./plan_stages.ts";
import { Stage } from "./stage.ts";
import { queueMicrotask } from "../queue_microtask.ts";

/** What chunks move through, and between. */
export interface SchedulerParts {
  /** The stages, at least one. */
  readonly plans: readonly StagePlan[];
  readonly input: Input;
  readonly output: Output;
  readonly turn: TurnBudget;
  /** How many chunks may wait between stages while the output has no room. */
  readonly maxQueued: number;
}

/**
 * Moves chunks: those that are taken walk through all stages in a slice, until one of them waits or the output
 * is full. What cannot go on waits in the queue of the next stage, which is then ready; later stages go first. The part
 * of the engine that ends streams builds on this one.
 */
export abstract class Scheduler implements ControllerHost<Stage> {
  readonly stages: readonly Stage[];
  readonly first: Stage;
  readonly input: Input;
  readonly output: Output;
  slice: Slice = new Slice();
  /** What drives it, if not itself. */
  driver: Driver | undefined = undefined;
  /** No chunk may enter. */
  isStopped = false;
  readonly #turn: TurnBudget;
  readonly #maxQueued: number;
  readonly #blocks: readonly (Block | undefined)[];
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

  constructor({ plans, input, output, turn, maxQueued }: SchedulerParts) {
    const last = plans.length - 1;
    this.stages = plans.map((plan, index) =>
      new Stage(plan, index, this, turn, output.isDirect && index === last)
    );
    this.input = input;
    this.output = output;
    this.#turn = turn;
    this.#maxQueued = maxQueued;
    this.#blocks = findBlocks(this.stages);
    this.#backlog = new Backlog(this.stages);
    for (const stage of this.stages) {
      const next = this.stages[stage.index + 1];
      if (stage.stepping && next?.stepping) stage.nextStepping = next;
    }
    this.first = this.stages[0]!;
    this.#last = this.stages[last]!;
  }

  abstract desiredSizeOf(stage: Stage): number | null;
  abstract enqueue(stage: Stage, chunk: unknown): void;
  abstract fail(stage: Stage, reason: unknown): void;
  abstract terminate(stage: Stage): void;

  /** A method of the stage has thrown. */
  abstract thrown(stage: Stage, reason: unknown): void;

  /** All that waited in the stage is gone: how its input ends is dealt with. Tells whether it did. */
  abstract reachEnding(stage: Stage): boolean;

  /** Takes a chunk from the input. */
  feed(chunk: unknown): void {
    if (this.#backlog.readyCount === 0 && this.output.hasRoom()) {
      this.#walkOne(chunk, 0, this.stages.length);
    } else this.#walkOne(chunk, 0, this.#findStop(0));
  }

  /** Goes on with what was under way before. */
  enter({ slice, index, ran, failure }: Entry): void {
    this.slice = slice;
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
    return this.#backlog.readyCount === 0 && !this.isStopped && !this.first.isBusy &&
      this.output.hasRoom();
  }

  /** Whether something waits in a stage. */
  get hasReady(): boolean {
    return this.#backlog.readyCount > 0;
  }

  /** Whether there is anything to do, or a chunk to be taken. */
  hasWork(): boolean {
    return this.output.hasRoom() || this.hasReady || this.#maxQueued > 0;
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
      this.thrown(this.#last, reason);
      return false;
    } finally {
      this.#isRunning = false;
      if (this.#looks !== undefined) this.tellRoom();
    }
  }

  whenRoom(stage: Stage, look: () => void): void {
    (this.#looks ??= []).push(look);
    // What it gathers goes on without being seen here.
    if (stage.collector !== undefined) this.schedule();
  }

  /** There may be room behind some stage. */
  tellRoom(): void {
    const looks = this.#looks;
    this.#looks = undefined;
    looks?.forEach((look) => look());
  }

  /** Goes on soon. */
  schedule(): void {
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

  /** Something waits in the stage. */
  markReady(stage: Stage): void {
    this.#backlog.markReady(stage);
  }

  /** Lets the stage's kernel give more. */
  wake(stage: Stage): void {
    if (!stage.isOpen) return;
    stage.hasMore = true;
    this.markReady(stage);
    this.schedule();
  }

  /** Forgets what waits in the stage. */
  empty(stage: Stage): void {
    this.#backlog.empty(stage);
  }

  /** Gives a chunk that a stage made outside of its slice. */
  emit(stage: Stage, chunk: unknown): void {
    if (!stage.isOpen) return;
    const next = this.stages[stage.index + 1];
    if (next === undefined) this.output.writeOne(chunk);
    else if (next.isOpen) this.#backlog.push(next, chunk);
    if (!this.#isRunning) this.schedule();
  }

  /** Passes on what a stage has gathered so far, as far as its next neighbour. */
  giveCollected(stage: Stage): void {
    const { slice } = this;
    if (slice.outCount === 0) return;
    const { out, outCount } = slice;
    slice.outCount = 0;
    for (let i = 0; i < outCount; i++) {
      this.emit(stage, out[i]);
      out[i] = undefined;
    }
  }

  /** Waits for a promise of a stage's `start`, or for one that says what a method threw. */
  wait(stage: Stage, promise: unknown): void {
    stage.beginWait(whenSettled(
      promise,
      () => this.#endWait(stage),
      (reason) => this.failWait(stage, reason),
    ));
  }

  /** What the stage's kernel waited for is there. It is busy until it has given that: a chunk may let the next one in. */
  settle(stage: Stage, value: unknown, chunk: unknown): void {
    if (stage.isOpen) {
      try {
        if (stage.one === undefined) {
          const { stepping } = stage;
          if (stepping !== undefined) return this.#settleStep(stage, stepping);
          this.#settleMany(stage, stage.many!, value);
        } else {
          const settled = stage.one.settle(value, chunk);
          if (settled !== NONE) this.#forward(stage, settled);
        }
      } catch (reason) {
        return this.failWait(stage, reason);
      }
    }
    this.#endWait(stage);
  }

  /** What the stage waited for has failed. */
  failWait(stage: Stage, reason: unknown): void {
    stage.endWait();
    this.thrown(stage, reason);
    this.#goOnAfter(stage);
  }

  #endWait(stage: Stage): void {
    stage.endWait();
    this.#goOnAfter(stage);
  }

  #settleMany(stage: Stage, kernel: ManyKernel, value: unknown): void {
    kernel.settle(value, (chunk) => this.emit(stage, chunk));
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
    const isFirst = stage.index === 0 && this.output.isDirect;
    if (isFirst || this.#isRunning || !this.output.hasRoom()) return this.emit(stage, chunk);
    if (stage === this.#last && stage.stepping === undefined) return this.emit(stage, chunk);
    this.#isRunning = true;
    this.#walkOne(chunk, stage.index + 1, this.#findStop(stage.index + 1));
    this.#isRunning = false;
  }

  #goOnAfter(stage: Stage): void {
    if (stage.queue.length > 0 || stage.hasMore || stage.ending !== undefined) {
      this.markReady(stage);
    }
    if (stage.index === 0 && !stage.hasMore) this.input.handleSettled();
    this.#settled = stage;
    this.resume();
    this.#settled = undefined;
  }

  #canAccept(): boolean {
    if (this.isStopped) return false;
    const first = this.first;
    return !first.isBusy && !first.hasMore && first.queue.length === 0 && this.#mayRun(first) &&
      (this.#backlog.queuedCount < this.#maxQueued || this.output.hasRoom());
  }

  #mayRun(stage: Stage): boolean {
    if (stage === this.#last) return this.output.hasRoom();
    if (this.#backlog.readyCount === 0) return true;
    const next = this.stages[stage.index + 1]!;
    return !next.isReady || (next.queue.length === 0 && !next.hasMore);
  }

  /** Whether the last stage, a generator, may see if it ends, though there is no room: an end needs none. */
  #mayEnd(stage: Stage): boolean {
    return stage === this.#last && stage.ending?.failed === false &&
      stage.many?.end !== undefined && this.output.isEmpty?.() === true;
  }

  #step(): boolean {
    this.#movedCount = 1;
    if (this.#backlog.handleAny(this)) return true;
    return this.#canAccept() && this.input.take();
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
      const { slice } = this;
      // Of one that waits, most often the next chunk does, too.
      this.#backlog.take(stage, slice, stage.wait === undefined ? this.#turn.sliceSize : 1);
      this.#movedCount = slice.count;
      this.#walk(this.#process(stage));
      return true;
    }
    this.#backlog.unmark(stage);
    return this.reachEnding(stage);
  }

  /** Lets a kernel give more of its last chunk. */
  #goOn(stage: Stage): void {
    const { slice } = this;
    stage.hasMore = false;
    slice.limit = this.#turn.sliceSize;
    slice.taken = slice.count = 0;
    this.#accept(stage, stage.many!.more(slice));
    if (stage.index === 0 && !stage.hasMore && !stage.isBusy) this.input.handleSettled();
    this.#walk(stage.index + 1);
  }

  /** Lets the slice walk on from the stage at `index`. */
  #walk(index: number): void {
    const { stages, slice } = this;
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
    const { slice } = this;
    const { one, index } = stage;
    if (one === undefined) {
      slice.limit = this.#turn.sliceSize;
      this.#accept(stage, stage.many!.run(slice));
      return index + 1;
    }
    const block = slice.count > 1 ? this.#blocks[index] : undefined;
    if (block !== undefined && this.#canRunBlock(block)) {
      this.#runBlock(block);
      return index + block.stages.length;
    }
    this.#runOne(stage, one);
    return index + 1;
  }

  #runOne(stage: Stage, kernel: OneKernel): void {
    let i;
    try {
      i = kernel.run(this.slice);
    } catch (reason) {
      this.#failAfterKept(stage, reason);
      return;
    }
    this.#acceptOne(stage, kernel, i);
  }

  /** Deals with what a kernel of one to one has done of the slice. */
  #acceptOne(stage: Stage, kernel: OneKernel, i: number): void {
    const { slice } = this;
    if (i < slice.count) {
      this.#backlog.putBack(stage, slice, i + 1);
      this.#await(stage, kernel.takePromise(), slice.items[i]);
    }
    if (slice.kept < slice.count) slice.truncate(slice.kept);
  }

  #canRunBlock({ stages }: Block): boolean {
    for (let i = 1; i < stages.length; i++) {
      if (!stages[i]!.isFree) return false;
    }
    return this.#mayRun(stages.at(-1)!);
  }

  #runBlock({ kernel, stages }: Block): void {
    const { slice } = this;
    const first = stages[0]!;
    let i;
    try {
      i = kernel.run(slice, first);
    } catch (reason) {
      this.#failAfterKept(stages[kernel.at]!, reason);
      return;
    }
    if (kernel.at >= 0) {
      this.#backlog.putBack(first, slice, i + 1);
      const stage = stages[kernel.at]!;
      this.#await(stage, slice.promise, undefined);
      slice.promise = undefined;
    }
    slice.truncate(first.isOpen ? i : 0);
  }

  /** A kernel of one to one threw: what it had kept goes on before that is known. */
  #failAfterKept(stage: Stage, reason: unknown): void {
    const { slice } = this;
    slice.truncate(slice.kept);
    if (this.stages[stage.index + 1] === undefined && slice.count > 0) this.#writeOut();
    this.#throw(stage, reason);
  }

  /** A method threw: to a standard stream that looks on, its promise was rejected, which it notices a step later. */
  #throw(stage: Stage, reason: unknown): void {
    if (this.output.isDirect) this.wait(stage, Promise.reject(reason));
    else this.thrown(stage, reason);
  }

  /** Waits for a promise of the stage's kernel; `chunk` is what it is made of. */
  #await(stage: Stage, promise: unknown, chunk: unknown): void {
    const wait = stage.wait ??= new KernelWait(stage, this);
    wait.chunk = chunk;
    if (promise instanceof Completion) {
      stage.beginWait(promise);
      promise.then(wait.onFulfilled, wait.onRejected);
    } else stage.beginWait(whenSettled(promise, wait.onFulfilled, wait.onRejected));
  }

  /** The first stage from `index` on that may not run now. */
  #findStop(index: number): number {
    const { stages } = this;
    while (index < stages.length && stages[index]!.isFree && this.#mayRun(stages[index]!)) index++;
    return index;
  }

  /** Lets one chunk walk by itself from the stage at `index`, as far as each makes one of it, and not past `stop`. */
  #walkOne(chunk: unknown, index: number, stop: number): void {
    const { stages, slice } = this;
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
          if (result === WAIT) return this.#await(stage, kernel.takePromise(), chunk);
        }
        chunk = result;
      }
      if (index === stages.length) return this.output.writeOne(chunk);
    } catch (reason) {
      const stage = stages[index];
      if (stage === undefined) return this.thrown(this.#last, reason);
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
    const { slice } = this;
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
    const { slice } = this;
    const { taken, count } = slice;
    this.#backlog.putBack(stage, slice, taken);
    if (answer === WAITS) {
      const { promise } = slice;
      slice.promise = undefined;
      this.#await(stage, promise, undefined);
    } else if (answer === MORE && stage.isOpen) stage.hasMore = true;
    if (taken < count) slice.truncate(0);
    slice.swap();
    if (taken < count || answer === MORE) this.markReady(stage);
    if (answer === FAILED) {
      if (stage === this.#last && slice.count > 0) this.#writeOut();
      const { reason } = slice;
      slice.reason = undefined;
      this.#throw(stage, reason);
    }
  }

  #writeOut(): void {
    const { slice } = this;
    try {
      if (slice.count === 1) this.output.writeOne(slice.items[0]);
      else this.output.write(slice.items, slice.count);
    } catch (reason) {
      this.thrown(this.#last, reason);
    }
    slice.truncate(0);
  }
}
