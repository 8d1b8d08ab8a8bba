import type { Slice } from "../kernels/slice.ts";
import type { Stage } from "./stage.ts";

/** What waits in the stages of a chain: chunks in their queues, and stages that are ready to go on. */
export class Backlog {
  /** Stages in which something waits. */
  readyCount = 0;
  /** Chunks in the queues of all stages. */
  queuedCount = 0;
  readonly #stages: readonly Stage[];
  /** No stage after this one has anything to do. */
  #top = 0;
  /** Nor has one before this one. */
  #floor = 0;

  constructor(stages: readonly Stage[]) {
    this.#stages = stages;
  }

  /** Something waits in the stage. */
  markReady(stage: Stage): void {
    if (stage.index > this.#top) this.#top = stage.index;
    if (stage.index < this.#floor) this.#floor = stage.index;
    if (stage.isReady) return;
    stage.setReady(true);
    this.readyCount++;
  }

  /** Nothing waits in the stage any more. */
  unmark(stage: Stage): void {
    stage.setReady(false);
    this.readyCount--;
  }

  /** Looks through all stages again, from the last. */
  rewind(): void {
    this.#top = this.#stages.length - 1;
    this.#floor = 0;
  }

  /** Looks at this stage alone, and at what becomes ready, or is let in, by what it does. */
  beginAt({ index }: Stage): void {
    if (index > this.#top) this.#top = index;
    this.#floor = index;
  }

  /** Lets `handler` look at each ready stage, later ones first, until it has done something. */
  handleAny(handler: { handle(stage: Stage): boolean }): boolean {
    if (this.readyCount === 0) return false;
    for (; this.#top >= this.#floor; this.#top--) {
      const stage = this.#stages[this.#top]!;
      if (!stage.isReady || !handler.handle(stage)) continue;
      // The one before it may have waited for that.
      if (stage.index === this.#floor && stage.index > 0) this.#floor--;
      return true;
    }
    return false;
  }

  /** Lets a chunk wait in the stage, behind all others. */
  push(stage: Stage, chunk: unknown): void {
    stage.queue.push(chunk);
    this.queuedCount++;
    this.markReady(stage);
  }

  /** Lets the whole slice wait in the stage, behind all others. */
  park(stage: Stage, slice: Slice): void {
    const { count } = slice;
    this.queuedCount += count;
    if (count === 1) stage.queue.push(slice.takeFirst());
    else {
      stage.queue.pushAll(slice.items, count);
      slice.release();
    }
    this.markReady(stage);
  }

  /** Lets what is in the slice from `from` on wait in the stage, before all others. */
  putBack(stage: Stage, slice: Slice, from: number): void {
    const { items, count } = slice;
    if (from >= count || !stage.isOpen) return;
    stage.queue.putBack(items, from, count);
    this.queuedCount += count - from;
    this.markReady(stage);
  }

  /** Takes the only chunk that waits in the stage. */
  takeOnly(stage: Stage): unknown {
    this.queuedCount--;
    this.unmark(stage);
    return stage.queue.shift();
  }

  /** Makes up to `limit` chunks that wait in the stage the slice. */
  take(stage: Stage, slice: Slice, limit: number): void {
    slice.count = stage.queue.moveTo(slice.items, limit);
    this.queuedCount -= slice.count;
  }

  /** Forgets what waits in the stage. */
  empty(stage: Stage): void {
    this.queuedCount -= stage.empty();
  }
}
