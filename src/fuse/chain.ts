import { isPromiseLike } from "../is_promise_like.ts";
import { StageController } from "./controller.ts";
import { closeUnstarted, endStage, failStage, stopStages } from "./endings.ts";
import { resumeIterator } from "./iterate.ts";
import { findMapBlocks, type MapBlock, runMapBlock } from "./map_block.ts";
import { processStage } from "./process.ts";
import { Slice } from "./slice.ts";
import { type Ending, readStage, type Stage } from "./stage.ts";
import type { Input, Output, Turn } from "./ports.ts";
import { walkAlone } from "./walk_alone.ts";

/**
 * The engine behind `fuse` and `pipeline`: a slice of chunks walks stage by stage while stages answer
 * synchronously, and waits in the queue of the first stage that cannot take it.
 */
export class Chain {
  readonly stages: readonly Stage[];
  readonly controllers: readonly StageController[];
  /** Maps that are run as one, by the index of the first. */
  readonly blocks: readonly (MapBlock | undefined)[];
  readonly input: Input;
  readonly output: Output;
  readonly turn: Turn;
  /** How many chunks may wait inside while the output wants none. */
  readonly slack: number;
  /** The slice that walks. */
  work: Slice = new Slice();
  /** What the stage that runs has given. */
  spare: Slice = new Slice();
  /** Chunks that wait in queues. */
  parkedCount = 0;
  /** Set when no chunk may enter any more. */
  isStopped = false;
  /** Stages whose predecessors must be cancelled, once what walks has walked. */
  stops: { readonly from: number; readonly reason: unknown }[] = [];
  /** Fulfils once every stage that had to be cancelled has answered. */
  stopped: Promise<void> = Promise.resolve();
  /** Goes on after a wait; `pipeline` puts its own loop here. */
  resume: () => void = () => void this.run();
  /** How many chunks the last step has moved. */
  #walkedCount = 0;
  #attentionCount = 0;
  /** No stage after this one can move anything just now. */
  #furthest = 0;
  #isRunning = false;
  #mustRunAgain = false;
  #isScheduled = false;
  #outputEnding: Ending | undefined;
  #isOutputOpen = true;

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
    // An empty chain is that of one stage that passes on what it is given.
    this.stages = (transformers.length === 0 ? [{}] : transformers).map(readStage);
    this.blocks = findMapBlocks(this.stages);
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
        this.#isOutputOpen = false;
        closeUnstarted(this, stage.index);
        this.#applyStops();
        void stopStages(this, stage.index - 1, reason);
        throw reason;
      }
      if (isPromiseLike(result)) this.awaitStage(stage, result);
    }
  }

  /** Takes one chunk, when `isReady` or `canAccept` says so. */
  feed(chunk: unknown): void {
    if (this.#attentionCount === 0 && this.output.hasRoom()) {
      const index = walkAlone(this, chunk);
      if (index >= 0) this.walk(index);
      return;
    }
    this.work.items[0] = chunk;
    this.work.count = 1;
    this.walk(0);
  }

  /** Whether nothing waits anywhere, so that a chunk may enter without further ado. */
  isReady(): boolean {
    return this.#attentionCount === 0 && !this.isStopped && !this.stages[0]!.isBusy &&
      this.output.hasRoom();
  }

  /** Whether a chunk may enter now, if only to wait inside. */
  canAccept(): boolean {
    if (this.isStopped) return false;
    const first = this.stages[0]!;
    return !first.isBusy && first.queue.length === 0 && first.iterator === undefined &&
      this.#mayRun(first) && (this.parkedCount < this.slack || this.output.hasRoom());
  }

  /** Whether what `stage` gives has somewhere to go. */
  #mayRun(stage: Stage): boolean {
    const next = this.stages[stage.index + 1];
    if (next === undefined) return this.output.hasRoom();
    return !next.needsAttention || (next.queue.length === 0 && next.iterator === undefined);
  }

  /** Runs until nothing can move, or the turn is over; tells whether it was the turn. */
  run(): boolean {
    if (this.#isRunning) {
      this.#furthest = this.stages.length - 1;
      this.#mustRunAgain = true;
      return false;
    }
    this.#isRunning = true;
    try {
      do {
        this.#mustRunAgain = false;
        this.#furthest = this.stages.length - 1;
        while (this.#step()) {
          if (this.turn.isOver(this.#walkedCount)) return true;
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

  #applyStops(): void {
    for (const { from, reason } of this.stops.splice(0)) void stopStages(this, from, reason);
  }

  /** Moves one slice, the one that has come furthest. */
  #step(): boolean {
    this.#walkedCount = 1;
    if (this.stops.length > 0) this.#applyStops();
    if (this.#attentionCount > 0) {
      for (; this.#furthest >= 0; this.#furthest--) {
        const stage = this.stages[this.#furthest]!;
        if (stage.needsAttention && this.#attend(stage)) return true;
      }
    }
    if (this.#outputEnding !== undefined && this.#isOutputOpen) {
      this.#isOutputOpen = false;
      if (this.#outputEnding.failed) this.output.fail(this.#outputEnding.reason);
      else this.output.end();
      return true;
    }
    return this.canAccept() && this.input.take();
  }

  /** Lets a stage with something to do do it; tells whether it did. */
  #attend(stage: Stage): boolean {
    if (stage.isBusy) return false;
    if (stage.iterator !== undefined) {
      if (!this.#mayRun(stage)) return false;
      resumeIterator(this, stage);
      this.walk(stage.index + 1);
      return true;
    }
    if (stage.queue.length > 0) {
      if (!this.#mayRun(stage)) return false;
      this.work.count = stage.queue.moveTo(this.work.items, this.turn.sliceSize);
      this.parkedCount -= this.work.count;
      this.#walkedCount = this.work.count;
      this.walk(this.#process(stage));
      return true;
    }
    stage.needsAttention = false;
    this.#attentionCount--;
    if (stage.isClosed || stage.ending === undefined) return false;
    endStage(this, stage, stage.ending);
    return true;
  }

  /** Lets the slice walk on from stage `index`. */
  walk(index: number): void {
    const { stages } = this;
    while (this.work.count > 0) {
      const stage = stages[index];
      if (stage === undefined) this.#writeOut();
      else if (stage.isClosed) this.work.truncate(0);
      else if (stage.isBusy || this.#isOccupied(stage) || !this.#mayRun(stage)) this.#park(stage);
      else index = this.#process(stage);
    }
  }

  /** Runs `stage`, or the block it begins, over the slice; tells which stage is next. */
  #process(stage: Stage): number {
    const block = this.blocks[stage.index];
    if (block !== undefined && this.#mayRun(block.stages.at(-1)!) && runMapBlock(this, block)) {
      return stage.index + block.stages.length;
    }
    processStage(this, stage);
    return stage.index + 1;
  }

  #isOccupied(stage: Stage): boolean {
    return stage.needsAttention && (stage.queue.length > 0 || stage.iterator !== undefined);
  }

  #writeOut(): void {
    const { work } = this;
    try {
      this.output.write(work.items, work.count);
    } catch (reason) {
      failStage(this, this.stages.at(-1)!, reason);
    }
    work.truncate(0);
    this.spare.truncate(0);
  }

  /** Lets the slice wait for `stage`. */
  #park(stage: Stage): void {
    const { work } = this;
    stage.queue.pushAll(work.items, work.count);
    this.parkedCount += work.count;
    work.items = [];
    work.count = 0;
    this.note(stage);
  }

  /** Gives back to `stage` what it has not begun: the slice from `from` on. */
  putBack(stage: Stage, from: number): void {
    const { work } = this;
    if (from < work.count) {
      stage.queue.putBack(work.items, from, work.count);
      this.parkedCount += work.count - from;
    }
    this.note(stage);
  }

  /** Makes what `stage` gave the slice that walks; what is too much for one slice waits. */
  takeSpare(stage: Stage): void {
    const { work, spare } = this;
    this.work = spare;
    this.spare = work;
    if (spare.count <= this.turn.sliceSize) return;
    const next = this.stages[stage.index + 1];
    if (next !== undefined && !next.isClosed) this.#park(next);
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
    this.#furthest = Math.max(this.#furthest, stage.index);
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
    stage.pending = Promise.resolve(promise).then((value) => {
      stage.isBusy = false;
      if (!stage.isClosed) then?.(value);
    }).catch((reason) => {
      stage.isBusy = false;
      failStage(this, stage, reason);
    }).then(() => {
      this.note(stage);
      this.resume();
    });
  }

  /** No chunk follows. */
  end(): void {
    this.isStopped = true;
    this.setEnding(0, { failed: false });
    this.resume();
  }

  /** The output wants no more; resolves once the last stage has been told. */
  cancel(reason: unknown): Promise<void> {
    this.isStopped = true;
    this.#isOutputOpen = false;
    this.#applyStops();
    return stopStages(this, this.stages.length - 1, reason);
  }

  /** Tells stage `index`, or the output, how its input ends. */
  setEnding(index: number, ending: Ending): void {
    const stage = this.stages[index];
    if (stage === undefined) this.#outputEnding ??= ending;
    else if (!stage.isClosed) {
      stage.ending ??= ending;
      this.note(stage);
    }
  }
}
