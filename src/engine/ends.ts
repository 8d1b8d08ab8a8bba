// Over 200 lines: every way in which a stage can end; they share its state and pass on to one another.
import { awaitable } from "../awaitable.ts";
import { createDeferred, type Deferred } from "../deferred.ts";
import type { FirstFailure } from "./first_failure.ts";
import type { Ending, Failure, Input, Output } from "./ports.ts";
import type { Stage } from "./stage.ts";
import type { Walk } from "./walk.ts";

const done = Promise.resolve();

/** A rejection that is dealt with even if it is not looked at. */
function rejected(reason: unknown): Promise<void> {
  const promise = Promise.reject(reason);
  promise.catch(() => {});
  return promise;
}

/**
 * Ends streams. Each stage has the two sides of a `TransformStream`; where one ends, its neighbour's does in the
 * same step, and learns of it by its flush, cancel or abort a step later, as through a pipe.
 */
export class Ends {
  readonly #stages: readonly Stage[];
  readonly #input: Input;
  readonly #output: Output;
  readonly #walk: Walk;
  readonly #firstFailure: FirstFailure | undefined;
  /** Every cancel that is under way. */
  #cancelling: Promise<unknown> = done;
  /** Settles the promise of an `end` that waits for the first stage's flush. */
  #waitingEnd: Deferred<void> | undefined;
  /** The writable side is being aborted, though perhaps not before what is under way is done. */
  #abortRequest: Failure | undefined;

  constructor(
    stages: readonly Stage[],
    input: Input,
    output: Output,
    walk: Walk,
    firstFailure: FirstFailure | undefined,
  ) {
    this.#stages = stages;
    this.#input = input;
    this.#output = output;
    this.#walk = walk;
    this.#firstFailure = firstFailure;
  }

  get #first(): Stage {
    return this.#stages[0]!;
  }

  /** No chunk follows: the first stage's writable side closes. */
  end(): Promise<void> {
    const first = this.#first;
    this.#walk.stop();
    if (first.finish !== undefined) return first.finish;
    if (first.writeFailure !== undefined) return rejected(first.writeFailure.reason);
    first.endInput({ failed: false });
    this.#walk.markReady(first);
    this.#walk.resume();
    if (first.finish !== undefined) return first.finish;
    this.#waitingEnd = createDeferred();
    return this.#waitingEnd.promise;
  }

  /** The input has failed: the first stage's writable side is aborted, once what it does is done. */
  abort(reason: unknown): Promise<void> {
    const first = this.#first;
    this.#walk.stop();
    const abort = (): Promise<void> => {
      const finish = this.#abort(first, reason);
      this.#walk.schedule();
      return finish;
    };
    const { pending } = first;
    return first.isBusy && first.finish === undefined && pending ? pending.then(abort) : abort();
  }

  /** The writable side will be aborted. */
  requestAbort(reason: unknown): void {
    this.#abortRequest ??= { failed: true, reason };
  }

  /** The output wants no more: the last stage's readable side is cancelled. */
  cancel(reason: unknown): Promise<void> {
    return this.#cancel(this.#stages.at(-1)!, reason);
  }

  /** Nothing is waited for: every stage's cancel is called at once. */
  giveUp(reason: unknown): void {
    for (const stage of this.#stages.toReversed()) this.#cancel(stage, reason).catch(() => {});
  }

  /** The stage's `start` threw: it and all after it never were. Answers the reason that counts. */
  failStart(stage: Stage, thrown: unknown): unknown {
    const { reason } = this.#note(thrown);
    for (const later of this.#stages.slice(stage.index)) {
      this.#walk.empty(later);
      later.closeReadable();
      later.setDone();
      later.setFinish(done);
    }
    this.#walk.stop();
    const before = this.#stages[stage.index - 1];
    if (before === undefined) this.#input.stop(reason);
    else this.#cancel(before, reason).catch(() => {});
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
    // Closed by one after it, or its cancel called: what its methods throw counts no more, what `error` says does. One
    // that stands for a whole stream, and is cancelled from outside, fails with it, as that does.
    const isCancelled = stage.isCancelling && this.#stages.length > 1;
    if (isCancelled || (!stage.isOpen && !stage.isDone)) return;
    stage.setThrown({ failed: true, reason });
    this.fail(stage, reason);
  }

  /** All that waited in the stage is gone; tells whether its input's end was dealt with. */
  reachEnding(stage: Stage): boolean {
    const { ending } = stage;
    if (ending === undefined || stage.isDone || !stage.isOpen) return false;
    const finish = ending.failed ? this.#abort(stage, ending.reason) : this.#flush(stage);
    finish.catch(() => {});
    return true;
  }

  /** Fulfils once everything that had to be cancelled has answered. */
  async settled(): Promise<void> {
    let seen;
    do {
      seen = this.#cancelling;
      await seen;
    } while (seen !== this.#cancelling);
  }

  /** A stage has failed. Answers the failure that counts. */
  #note(reason: unknown): Failure {
    return this.#firstFailure?.note(reason) ?? { failed: true, reason };
  }

  /** The stage ends by itself: what is after it gets `ending`, what is before it is refused for `reason`. */
  #leave(stage: Stage, ending: Ending, reason: unknown): void {
    const isLast = stage.index === this.#stages.length - 1;
    // Closed by a later stage and about to learn of it: what it does meanwhile no longer counts.
    if (!stage.isOpen && (!stage.isDone || (stage.isCancelling && !isLast))) return;
    if (stage.isOpen) {
      // What it has gathered goes before its end.
      if (stage.collector !== undefined) this.#walk.giveCollected(stage);
      if (ending.failed) ({ reason } = ending = this.#note(reason));
      this.#closeReadable(stage, ending);
    } else if (
      ending.failed && stage.readFailure === undefined && isLast && !this.#output.isEnded
    ) {
      ({ reason } = ending = this.#note(reason));
      stage.failReadable(ending);
      this.#output.end(ending);
    }
    stage.collectIn(undefined);
    if (!stage.isDone) {
      stage.setDone();
      stage.setFinish(done);
    }
    this.#refuse(stage, reason);
    this.#walk.schedule();
  }

  /** Nothing more leaves the stage; what is after it gets `ending`. */
  #closeReadable(stage: Stage, ending: Ending): void {
    stage.closeReadable();
    if (ending.failed) stage.failReadable(ending);
    const next = this.#stages[stage.index + 1];
    if (next === undefined) return this.#output.end(ending);
    next.endInput(ending);
    this.#walk.markReady(next);
  }

  /** The stage takes no more: its writable side fails, and so the readable side before it is cancelled. */
  #refuse(stage: Stage, reason: unknown): void {
    if (stage.writeFailure !== undefined) return;
    stage.failWritable({ failed: true, reason });
    this.#walk.stop();
    this.#walk.empty(stage);
    stage.drop();
    const before = this.#stages[stage.index - 1];
    if (before === undefined) {
      this.#input.stop(reason);
      this.#waitingEnd?.reject(reason);
      return;
    }
    this.#closeUpTo(before);
    const cancelled = done.then(() => this.#cancel(before, reason)).catch(() => {});
    this.#cancelling = Promise.all([this.#cancelling, cancelled]);
  }

  #closeUpTo(last: Stage): void {
    for (let i = last.index; i >= 0 && this.#stages[i]!.isOpen; i--) {
      const stage = this.#stages[i]!;
      this.#walk.empty(stage);
      stage.closeReadable();
      stage.collectIn(undefined);
    }
  }

  /** The stage's input has ended. */
  #flush(stage: Stage): Promise<void> {
    if (stage.finish !== undefined) return stage.finish;
    stage.setDone();
    const pending = awaitable(this.#callFlush(stage));
    let finish = done;
    // Where a standard stream looks on, its readable side closes a step after the flush, as natively.
    if (pending !== undefined || (stage.index === 0 && this.#output.isDirect)) {
      finish = this.#flushLater(stage, pending);
    } else this.#endFlush(stage);
    stage.setFinish(finish);
    if (stage.index === 0 && this.#waitingEnd !== undefined) {
      finish.then(this.#waitingEnd.resolve, this.#waitingEnd.reject);
    }
    return finish;
  }

  #callFlush(stage: Stage): unknown {
    if (!stage.hasFlush) return;
    stage.collectIn(this.#walk.work);
    try {
      return stage.callFlush();
    } catch (reason) {
      return rejected(reason);
    } finally {
      stage.collectIn(undefined);
      this.#walk.giveCollected(stage);
    }
  }

  async #flushLater(stage: Stage, pending: Promise<unknown> | undefined): Promise<void> {
    stage.beginWait(undefined);
    try {
      await pending;
      stage.endWait();
    } catch (reason) {
      stage.endWait();
      this.thrown(stage, reason);
      throw reason;
    }
    this.#endFlush(stage);
    if (stage.readFailure !== undefined) throw stage.readFailure.reason;
  }

  #endFlush(stage: Stage): void {
    if (!stage.isOpen) return;
    this.#closeReadable(stage, { failed: false });
    this.#walk.resume();
  }

  /** The stage's input has failed. */
  #abort(stage: Stage, reason: unknown): Promise<void> {
    if (stage.finish !== undefined) return stage.finish;
    const drained = stage.isOpen ? awaitable(stage.drainOnce()) : undefined;
    if (drained !== undefined) return this.#abortLater(stage, drained, reason);
    stage.setDone();
    if (stage.writeFailure === undefined) stage.failWritable({ failed: true, reason });
    this.#walk.empty(stage);
    stage.drop();
    // A stage that has no cancel need not be waited for, except where a standard stream looks on.
    if (!stage.hasCancel && stage.index > 0) {
      void stage.callCancel(reason);
      this.#passOn(stage, { failed: true, reason });
      stage.setFinish(done);
      return done;
    }
    const finish = stage.callCancel(reason).then(() => {
      if (stage.readFailure !== undefined) throw stage.readFailure.reason;
      this.#passOn(stage, { failed: true, reason });
    }, (other) => {
      this.#passOn(stage, this.#note(other));
      throw other;
    });
    stage.setFinish(finish);
    return finish;
  }

  /** What the stage has begun was made before its input failed, and so is passed on, or fails, before that. */
  async #abortLater(stage: Stage, drained: Promise<unknown>, reason: unknown): Promise<void> {
    stage.beginWait();
    try {
      await drained;
    } catch (earlier) {
      stage.endWait();
      if (stage.isOpen) this.#firstFailure?.noteEarlier(earlier);
      this.thrown(stage, earlier);
      throw earlier;
    }
    // It stays busy: it is done from here on.
    await this.#abort(stage, reason);
  }

  #passOn(stage: Stage, failure: Failure): void {
    if (!stage.isOpen) return;
    this.#closeReadable(stage, failure);
    this.#walk.resume();
  }

  /** What the stage gives is not wanted. */
  #cancel(stage: Stage, reason: unknown): Promise<void> {
    this.#closeUpTo(stage);
    this.#walk.stop();
    if (stage.finish !== undefined || stage.isDone) return stage.finish ?? done;
    stage.setCancelling();
    const finish = stage.callCancel(reason).then(() => {
      // What `error` was called with while `cancel` ran, or `abort`, is what it failed with.
      const abortRequest = stage.index === 0 ? this.#abortRequest : undefined;
      const failure = stage.writeFailure ?? abortRequest;
      this.#refuse(stage, reason);
      if (failure !== undefined && stage.hasCancel) throw failure.reason;
    }, (other) => {
      // After an early end nothing has failed: only what is before it learns of this, as through a pipe.
      this.#refuse(stage, (this.#firstFailure?.failure ?? { reason: other }).reason);
      throw other;
    });
    stage.setFinish(finish);
    this.#cancelling = Promise.all([this.#cancelling, finish.catch(() => {})]);
    return finish;
  }
}
