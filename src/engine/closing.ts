// Over 200 lines: every way in which a stage can end; they share its state and pass on to one another.
import { awaitable } from "../awaitable.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { Completion } from "../completion.ts";
import type { FirstFailure } from "./first_failure.ts";
import type { Ending, Failure } from "./ports.ts";
import { noteFailure } from "./note_failure.ts";
import type { RunFailure, RunPlace } from "./run_failure.ts";
import type { Stage } from "./stage.ts";
import { Scheduler, type SchedulerParts } from "./scheduler.ts";

const done = Promise.resolve();

/** What an engine is made of. */
export interface EngineParts extends SchedulerParts {
  /** Where a failure is noted. Without it each end fails as the standard has it: what a `cancel` throws comes out. */
  readonly firstFailure?: FirstFailure | undefined;
  /** How its run was called. */
  readonly place: RunPlace;
}

/**
 * Ends streams. Each stage has the two sides of a `TransformStream`; where one ends, its neighbour's does in the
 * same step, and learns of it by its flush, cancel or abort a step later, as through a pipe.
 */
export abstract class Closing extends Scheduler {
  readonly #firstFailure: FirstFailure | undefined;
  readonly #place: RunPlace;
  /** Every cancel that is under way. */
  #cancelling: Promise<unknown> = done;
  /** How the first stage's flush will end, once its writable side was closed. */
  #closing: Completion | undefined;

  constructor(parts: EngineParts) {
    super(parts);
    this.#firstFailure = parts.firstFailure;
    this.#place = parts.place;
  }

  /** No chunk follows: the first stage's writable side closes. */
  end(): Completion {
    const first = this.first;
    this.isStopped = true;
    if (first.finish !== undefined) return first.finish;
    if (first.writeFailure !== undefined) return Completion.rejected(first.writeFailure.reason);
    const closing = this.#closing = new Completion();
    first.ending = { failed: false };
    this.markReady(first);
    this.resume();
    return closing;
  }

  /** The input has failed: the first stage's writable side is aborted, once what it does is done. */
  abort(reason: unknown): Completion {
    const first = this.first;
    this.isStopped = true;
    const abort = (): Completion => {
      const finish = this.#abort(first, reason);
      this.schedule();
      return finish;
    };
    const pending = first.isBusy ? first.work : undefined;
    if (first.finish !== undefined || pending === undefined) return abort();
    // A standard stream has waited by itself, and only learns a moment earlier how a start has settled.
    if (this.output.isDirect) return abort();
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
  failStart(stage: Stage, thrown: unknown): unknown {
    const { reason } = this.#note(stage, thrown);
    for (const later of this.stages.slice(stage.index)) {
      this.empty(later);
      later.closeReadable();
      later.setDone(Completion.fulfilled());
    }
    this.isStopped = true;
    const before = this.stages[stage.index - 1];
    if (before === undefined) this.input.stop(reason);
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
  thrown(stage: Stage, reason: unknown): void {
    stage.thrown = { failed: true, reason };
    this.fail(stage, reason);
  }

  /** All that waited in the stage is gone; tells whether its input's end was dealt with. */
  reachEnding(stage: Stage): boolean {
    const { ending } = stage;
    if (ending === undefined || stage.isDone || !stage.isOpen) return false;
    if (ending.failed) this.#abort(stage, ending.reason);
    else if (stage.many?.end?.()) {
      stage.hasMore = true;
      this.markReady(stage);
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
      if (stage.collector !== undefined) this.giveCollected(stage);
      if (ending.failed) ({ reason } = ending = this.#note(stage, reason));
      this.#closeReadable(stage, ending);
    } else if (
      ending.failed && stage.readFailure === undefined && isLast && !this.output.isEnded
    ) {
      ({ reason } = ending = this.#note(stage, reason));
      stage.readFailure = ending;
      this.output.end(ending);
    } else if (ending.failed) {
      // Only what is before it learns of this, and of the run's failure first.
      ({ reason } = this.#firstFailure?.failure ?? ending);
    }
    stage.collectIn(undefined);
    if (!stage.isDone) stage.setDone(Completion.fulfilled());
    this.#refuse(stage, reason);
    this.schedule();
  }

  /** Nothing more leaves the stage; what is after it gets `ending`. */
  #closeReadable(stage: Stage, ending: Ending): void {
    stage.closeReadable();
    if (ending.failed) stage.readFailure = ending;
    this.tellRoom();
    const next = this.stages[stage.index + 1];
    if (next === undefined) return this.output.end(ending);
    next.ending = ending;
    this.markReady(next);
  }

  /** The stage takes no more: its writable side fails, and so the readable side before it is cancelled. */
  #refuse(stage: Stage, reason: unknown): void {
    if (stage.writeFailure !== undefined) return;
    stage.failInput(reason);
    this.isStopped = true;
    this.empty(stage);
    stage.drop();
    const before = this.stages[stage.index - 1];
    if (before === undefined) {
      this.input.stop(reason);
      if (this.#closing !== stage.finish) this.#closing?.reject(reason);
      return;
    }
    this.#closeUpTo(before);
    this.#keepCancelling(done.then(() => this.#cancel(before, reason)));
  }

  #closeUpTo(last: Stage): void {
    for (let i = last.index; i >= 0 && this.stages[i]!.isOpen; i--) {
      const stage = this.stages[i]!;
      this.empty(stage);
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
    if (flushed === undefined && (stage.index > 0 || !this.output.isDirect)) {
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
      this.thrown(stage, reason);
      finish.reject(reason);
    });
  }

  /** Answers a promise if it takes time, or fails. */
  #callFlush(stage: Stage): Promise<unknown> | undefined {
    if (!stage.hasFlush) return;
    stage.collectIn(this.slice);
    try {
      const result = stage.callFlush();
      return isPromiseLike(result) ? new Promise((resolve) => resolve(result)) : undefined;
    } catch (reason) {
      return Promise.reject(reason);
    } finally {
      stage.collectIn(undefined);
      this.giveCollected(stage);
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
    this.empty(stage);
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
      this.thrown(stage, earlier);
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
    this.isStopped = true;
    if (stage.finish !== undefined) {
      if (stage.isFlushing) this.#stopFlush(stage, stage.finish, reason);
      return stage.finish;
    }
    const finish = new Completion();
    stage.setDone(finish);
    stage.callCancel(reason).then(() => {
      // Its writable side has failed meanwhile, by `error` or by an abort.
      const failure = stage.index === 0 ? this.input.errored : stage.writeFailure;
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
