import { StageController } from "./controller.ts";
import { processStage } from "./process.ts";
import { resumeIterator } from "./iterate.ts";
import { type Ending, readStage, type Stage } from "./stage.ts";
import { isPromiseLike } from "../is_promise_like.ts";

/** Where a chain's chunks come from. */
export interface Input {
  /** Asks for the next chunk, which the input gives with `chain.feed`; tells whether it did so at once. */
  take(): boolean;
  /** Tells that no chunk is wanted any more. */
  stop(reason: unknown): void;
  /** Tells that the first stage has flushed. */
  finish(): void;
}

/** Where a chain's chunks go. */
export interface Output {
  /** Whether the last stage may run. */
  hasRoom(): boolean;
  /** What the last stage's controller says its desiredSize is. */
  desiredSize(): number;
  /** Whether each chunk must be measured the moment it is enqueued. */
  readonly measures: boolean;
  /** Takes the first `count` chunks, all of them; throws if one cannot be measured. */
  write(chunks: unknown[], count: number): void;
  end(): void;
  fail(reason: unknown): void;
}

/** How a chain divides its work. */
export interface Turn {
  /** How many chunks may walk together. */
  sliceSize: number;
  /** Told how many chunks have walked; answers whether the event loop must have its turn. */
  isOver(chunkCount: number): boolean;
}

/**
 * The engine behind `fuse` and `pipeline`: a slice of chunks walks stage by stage while stages answer
 * synchronously, and waits in the queue of the first stage that cannot take it.
 */
export class Chain {
  readonly stages: Stage[];
  readonly controllers: StageController[];
  readonly input: Input;
  readonly output: Output;
  readonly turn: Turn;
  /** How many chunks may wait inside while the output wants none. */
  readonly slack: number;
  /** The slice that walks. */
  work: unknown[] = [];
  /** What the stage that runs has enqueued. */
  spare: unknown[] = [];
  spareCount = 0;
  /** The stage whose enqueued chunks are collected in `spare`. */
  collector: Stage | undefined;
  /** Chunks that wait in queues. */
  parkedCount = 0;
  /** Set when no chunk may enter any more. */
  isStopped = false;
  #isRunning = false;
  #mustRunAgain = false;
  #isScheduled = false;
  #attentionCount = 0;
  #outputEnding: Ending | undefined;
  #hasOutputEnded = false;
  #stops: { from: number; reason: unknown }[] = [];
  #settledStop: Promise<void> | undefined;

  constructor(
    transformers: readonly unknown[],
    input: Input,
    output: Output,
    turn: Turn,
    slack: number,
  ) {
    this.input = input;
    this.output = output;
    this.turn = turn;
    this.slack = slack;
    this.stages = transformers.map(readStage);
    this.controllers = this.stages.map((stage) => new StageController(this, stage));
  }

  /** Calls every `start` in order; if one throws, the stages started before it are cancelled. */
  start(): void {
    for (const stage of this.stages) {
      if (stage.start === undefined) continue;
      let result: unknown;
      try {
        result = stage.start.call(stage.transformer, this.controllers[stage.index]);
      } catch (reason) {
        this.isStopped = true;
        for (const unstarted of this.stages.slice(stage.index)) close(unstarted);
        this.stopFrom(stage.index - 1, reason);
        throw reason;
      }
      if (isPromiseLike(result)) this.awaitStage(stage, result);
    }
    if (this.#stops.length > 0) this.schedule();
  }

  /** Takes one chunk; only when `take` was called or `canAccept` says so. */
  feed(chunk: unknown): void {
    this.work[0] = chunk;
    this.walk(0, 1);
  }

  /** Whether a chunk may enter now. */
  canAccept(): boolean {
    if (this.isStopped) return false;
    const first = this.stages[0]!;
    return !first.isBusy && first.queue.length === 0 && first.iterator === undefined &&
      this.mayRun(first) && (this.output.hasRoom() || this.parkedCount < this.slack);
  }

  /** Whether what `stage` gives has somewhere to go. */
  mayRun(stage: Stage): boolean {
    const next = this.stages[stage.index + 1];
    return next === undefined
      ? this.output.hasRoom()
      : next.queue.length === 0 && next.iterator === undefined;
  }

  /** Runs until nothing can move, or the turn is over; tells whether it was the turn. */
  run(): boolean {
    if (this.#isRunning) {
      this.#mustRunAgain = true;
      return false;
    }
    this.#isRunning = true;
    try {
      do {
        this.#mustRunAgain = false;
        while (this.#step()) {
          if (this.turn.isOver(1)) return true;
        }
      } while (this.#mustRunAgain);
      return false;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Runs in a microtask, for what happens outside of `run`. */
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

  /** Goes on after a wait; `pipeline` puts its own loop here. */
  resume: () => void = () => void this.run();

  #step(): boolean {
    if (this.#stops.length > 0) this.#applyStops();
    if (this.#attentionCount > 0) {
      for (let index = this.stages.length - 1; index >= 0; index--) {
        const stage = this.stages[index]!;
        if (stage.needsAttention && this.#attend(stage)) return true;
      }
    }
    if (this.#outputEnding !== undefined && !this.#hasOutputEnded) {
      this.#hasOutputEnded = true;
      if (this.#outputEnding.failed) this.output.fail(this.#outputEnding.reason);
      else this.output.end();
      return true;
    }
    return this.canAccept() && this.input.take();
  }

  #attend(stage: Stage): boolean {
    if (stage.isBusy) return false;
    if (stage.isClosed) {
      this.#forget(stage);
      return false;
    }
    if (stage.iterator !== undefined) {
      if (stage.ending?.failed) closeIterator(stage);
      else if (!this.mayRun(stage)) return false;
      else {
        this.walk(stage.index + 1, resumeIterator(this, stage));
        return true;
      }
    }
    if (stage.queue.length > 0) {
      if (!this.mayRun(stage)) return false;
      const count = stage.queue.moveTo(this.work, this.turn.sliceSize);
      this.parkedCount -= count;
      this.walk(stage.index + 1, processStage(this, stage, count));
      return true;
    }
    this.#forget(stage);
    if (stage.ending === undefined) return false;
    this.#endStage(stage, stage.ending);
    return true;
  }

  #forget(stage: Stage): void {
    if (!stage.needsAttention) return;
    stage.needsAttention = false;
    this.#attentionCount--;
  }

  /** Lets the first `count` chunks of `work` walk on from stage `index`. */
  walk(index: number, count: number): void {
    const { stages } = this;
    for (; count > 0; index++) {
      const stage = stages[index];
      if (stage === undefined) {
        this.#writeOut(count);
        return;
      }
      if (stage.isClosed) {
        this.work.fill(undefined, 0, count);
        return;
      }
      if (
        stage.isBusy || stage.queue.length > 0 || stage.iterator !== undefined ||
        !this.mayRun(stage)
      ) {
        this.park(stage, this.work, 0, count);
        return;
      }
      count = processStage(this, stage, count);
    }
  }

  #writeOut(count: number): void {
    try {
      this.output.write(this.work, count);
    } catch (reason) {
      this.failStage(this.stages.at(-1)!, reason);
    }
    if (this.work.length > 1024) this.work = [];
  }

  /** Lets `source[from..to)` wait for `stage`. */
  park(stage: Stage, source: unknown[], from: number, to: number): void {
    for (let i = from; i < to; i++) {
      stage.queue.push(source[i]);
      source[i] = undefined;
    }
    this.parkedCount += to - from;
    this.note(stage);
  }

  /** Gives back to `stage` the part of a slice that it has not begun. */
  putBack(stage: Stage, from: number, to: number): void {
    if (from < to) {
      stage.queue.putBack(this.work, from, to);
      this.parkedCount += to - from;
      this.work.fill(undefined, from, to);
    }
    this.note(stage);
  }

  /** Takes a chunk that `stage` gave outside of a walk. */
  emit(stage: Stage, chunk: unknown): void {
    const next = this.stages[stage.index + 1];
    if (next === undefined) this.output.write([chunk], 1);
    else if (!next.isClosed) {
      next.queue.push(chunk);
      this.parkedCount++;
      this.note(next);
    }
    this.schedule();
  }

  /** Remembers that `stage` has something to do. */
  note(stage: Stage): void {
    if (stage.needsAttention) return;
    stage.needsAttention = true;
    this.#attentionCount++;
  }

  /** Waits for a promise of `stage`; `then` is given what it holds. */
  awaitStage(
    stage: Stage,
    promise: PromiseLike<unknown>,
    then?: (value: unknown) => void,
  ): void {
    stage.isBusy = true;
    stage.pending = Promise.resolve(promise).then(
      (value) => {
        stage.isBusy = false;
        try {
          if (!stage.isClosed) then?.(value);
        } catch (reason) {
          this.failStage(stage, reason);
        }
        this.note(stage);
        this.resume();
      },
      (reason) => {
        stage.isBusy = false;
        this.failStage(stage, reason);
        this.resume();
      },
    );
  }

  /** No chunk follows. */
  end(): void {
    this.isStopped = true;
    this.#setEnding(0, { failed: false });
    this.resume();
  }

  /** The input failed; resolves once the first stage has been told. */
  async abort(reason: unknown): Promise<void> {
    this.isStopped = true;
    const first = this.stages[0]!;
    if (first.isBusy) await first.pending;
    if (first.isFinished) return;
    this.#drop(first);
    first.isClosed = first.hasFailed = true;
    try {
      await this.#cancelStage(first, reason);
    } catch (other) {
      reason = other;
      throw other;
    } finally {
      this.#endAfter(first, { failed: true, reason });
    }
  }

  /** The output wants no more; resolves once the last stage has been told. */
  cancel(reason: unknown): Promise<void> {
    this.isStopped = true;
    this.#hasOutputEnded = true;
    return this.stopFrom(this.stages.length - 1, reason);
  }

  /** Resolves once every stage that had to be cancelled has answered. */
  get stopped(): Promise<void> {
    return this.#settledStop ?? Promise.resolve();
  }

  /** `stage` failed: what it gave before walks on, then the reason follows; the stages before it are cancelled. */
  failStage(stage: Stage, reason: unknown): void {
    this.#leave(stage, { failed: true, reason }, reason);
  }

  /** `stage` wants no more: what follows it ends normally, the stages before it are cancelled. */
  terminateStage(stage: Stage): void {
    const reason = new TypeError("Cannot write: a later stage has ended the stream");
    this.#leave(stage, { failed: false }, reason);
  }

  #leave(stage: Stage, ending: Ending, reason: unknown): void {
    if (stage.isClosed) return;
    this.#drop(stage);
    close(stage);
    stage.hasFailed = ending.failed;
    this.isStopped = true;
    this.#setEnding(stage.index + 1, ending);
    this.#stops.push({ from: stage.index - 1, reason });
    this.schedule();
  }

  #setEnding(index: number, ending: Ending): void {
    const stage = this.stages[index];
    if (stage === undefined) this.#outputEnding ??= ending;
    else if (!stage.isClosed) {
      stage.ending ??= ending;
      this.note(stage);
    }
  }

  #endAfter(stage: Stage, ending: Ending): void {
    this.#setEnding(stage.index + 1, ending);
    this.resume();
  }

  #endStage(stage: Stage, ending: Ending): void {
    if (ending.failed) {
      stage.isClosed = stage.hasFailed = true;
      const { reason } = ending;
      if (stage.cancel === undefined) {
        stage.isFinished = true;
        this.#setEnding(stage.index + 1, ending);
        return;
      }
      this.#cancelStage(stage, reason).then(
        () => this.#endAfter(stage, ending),
        (other) => this.#endAfter(stage, { failed: true, reason: other }),
      );
      return;
    }
    stage.isFinished = true;
    const finish = () => {
      if (stage.isClosed) return;
      stage.isClosed = true;
      this.#setEnding(stage.index + 1, ending);
      if (stage.index === 0) this.input.finish();
    };
    if (stage.flush === undefined) return finish();
    stage.ending = undefined;
    this.collector = stage.index === this.stages.length - 1 && this.output.measures
      ? undefined
      : stage;
    try {
      const result = stage.flush.call(stage.transformer, this.controllers[stage.index]);
      if (isPromiseLike(result)) this.awaitStage(stage, result, finish);
      else finish();
    } catch (reason) {
      this.failStage(stage, reason);
    }
    this.collector = undefined;
    this.walk(stage.index + 1, this.takeSpare(stage));
  }

  /** Makes what `stage` enqueued the slice that walks; what is too much for one slice waits. */
  takeSpare(stage: Stage): number {
    const count = this.spareCount;
    const limit = this.turn.sliceSize;
    [this.work, this.spare] = [this.spare, this.work];
    this.spareCount = 0;
    const next = this.stages[stage.index + 1];
    if (count <= limit || next === undefined) return count;
    if (next.isClosed) return 0;
    this.park(next, this.work, 0, count);
    this.work = [];
    return 0;
  }

  #applyStops(): void {
    const stops = this.#stops;
    this.#stops = [];
    for (const { from, reason } of stops) void this.stopFrom(from, reason);
  }

  /** Cancels stage `index` and those before it, one after the other, then stops the input. */
  stopFrom(index: number, reason: unknown): Promise<void> {
    const stopped = this.stages.slice(0, index + 1).reverse();
    const unfinished = stopped.filter((stage) => !stage.isFinished);
    for (const stage of stopped) {
      this.#drop(stage);
      stage.isClosed = true;
    }
    const first = unfinished.length > 0 && unfinished[0] === stopped[0]
      ? this.#cancelStage(unfinished[0]!, reason)
      : undefined;
    const others = first === undefined ? unfinished : unfinished.slice(1);
    const all = (async () => {
      if (first !== undefined) {
        await first.catch((other) => reason = other);
      }
      for (const stage of others) {
        await this.#cancelStage(stage, reason).catch((other) => reason = other);
      }
      this.input.stop(reason);
    })();
    this.#settledStop = Promise.all([this.#settledStop, all]).then(() => {});
    return first ?? Promise.resolve();
  }

  async #cancelStage(stage: Stage, reason: unknown): Promise<void> {
    if (stage.isFinished) return;
    stage.isFinished = true;
    if (stage.cancel !== undefined) await stage.cancel.call(stage.transformer, reason);
  }

  #drop(stage: Stage): void {
    this.parkedCount -= stage.queue.length;
    stage.queue.clear();
    closeIterator(stage);
  }
}

function close(stage: Stage): void {
  stage.isClosed = true;
  stage.isFinished = true;
}

function closeIterator(stage: Stage): void {
  const { iterator } = stage;
  stage.iterator = undefined;
  if (iterator?.return === undefined) return;
  try {
    const result: unknown = iterator.return();
    if (isPromiseLike(result)) Promise.resolve(result).catch(() => {});
  } catch {
    // The reason it is closed for matters more than how it closes.
  }
}
