import { findStage, nameOfPart } from "../kernels/name_of_part.ts";
import { NONE } from "../kernels/kernel.ts";
import type { LookableRun } from "./run_waits.ts";

/** A run that a source can have flushed. */
export interface FlushableRun extends LookableRun {
  /** Called when something may have changed. */
  onChange: (() => void) | undefined;
  /** What was handed over and is not written yet. */
  written(): PromiseLike<unknown> | undefined;
}

/** Whether nothing is on its way in it. */
function isIdle(run: FlushableRun): boolean {
  const { output, stages, phase, hasFailed } = run.look();
  if (phase !== undefined || hasFailed) {
    throw new TypeError("Cannot flush now: the run has ended");
  }
  return output.hasRoom() &&
    stages.every(({ isBusy, queue, hasMore }) => !isBusy && queue.length === 0 && !hasMore);
}

/** Fulfils once nothing is on its way. */
function whenIdle(run: FlushableRun): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      try {
        if (!isIdle(run)) return;
        resolve();
      } catch (reason) {
        reject(reason);
      }
      run.onChange = undefined;
    };
    run.onChange = look;
    look();
  });
}

/**
 * Has each stage of a run pass on what it holds, one after the other, and what comes of that go on to the sink. The
 * source gives nothing meanwhile.
 */
export async function flushRun(run: FlushableRun): Promise<void> {
  const { stages, place: { call, pairAt } } = run.look();
  if (pairAt !== undefined) {
    const [number, , pair] = findStage(call.stages, pairAt);
    throw new TypeError(
      `Cannot flush now: stage ${number}, ${
        nameOfPart(pair, "pair of streams")
      }, is a pair of native streams, which cannot be flushed`,
    );
  }
  for (const stage of stages) {
    await whenIdle(run);
    const held = stage.one?.flushNow?.() ?? NONE;
    if (held !== NONE) stage.controller.enqueue(held);
    await stage.operation?.flushNow?.();
  }
  await whenIdle(run);
  await run.written();
}
