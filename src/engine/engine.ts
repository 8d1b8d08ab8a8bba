import { awaitable } from "../awaitable.ts";
import type { Counts } from "../kernels/kernel.ts";
import { Closing } from "./closing.ts";
import type { Stage } from "./stage.ts";

/** A chain of stages between an input and an output. It knows no operator. */
export class Engine extends Closing {
  /** Calls every `start`; of a promise of the first, `follow` makes the one that is waited for. */
  start(follow = (answer: Promise<unknown>) => answer): void {
    for (const stage of this.stages) {
      let result: unknown;
      try {
        result = stage.start();
      } catch (reason) {
        throw this.failStart(stage, reason);
      }
      if (stage.many?.hasMore) {
        stage.hasMore = true;
        this.markReady(stage);
      }
      const pending = awaitable(result);
      if (pending !== undefined) {
        this.wait(stage, stage.index === 0 ? follow(pending) : pending);
      }
    }
  }

  /** Adds what the stages have counted. */
  addCounts(counts: Counts): void {
    for (const stage of this.stages) stage.addCounts(counts);
  }

  // What a stage's controller does.

  desiredSizeOf(stage: Stage): number | null {
    if (stage.readFailure !== undefined) return null;
    const next = this.stages[stage.index + 1];
    const collected = stage.collector?.outCount ?? 0;
    // What is closed behind chunks that wait is not closed yet.
    if (next !== undefined) return stage.isOpen ? 0 - next.queue.length - collected : 0;
    return stage.isOpen || !this.output.isEnded ? this.output.desiredSize() - collected : 0;
  }

  enqueue(stage: Stage, chunk: unknown): void {
    if (!stage.isOpen) {
      // Closed by a later stage, and about to learn of it: what it gives is dropped.
      if (!stage.isDone) return;
      throw new TypeError("Cannot enqueue: the readable side is closed, cancelled or errored");
    }
    try {
      this.emit(stage, chunk);
    } catch (reason) {
      this.fail(stage, reason);
      throw stage.readFailure === undefined ? reason : stage.readFailure.reason;
    }
  }
}
