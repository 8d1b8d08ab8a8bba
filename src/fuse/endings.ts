import { isPromiseLike } from "../is_promise_like.ts";
import type { Chain } from "./chain.ts";
import { closeIterator } from "./close_iterator.ts";
import type { Ending, Stage } from "./stage.ts";

/** `stage` failed: what it gave before walks on, then the reason follows; the stages before it are cancelled. */
export function failStage(chain: Chain, stage: Stage, reason: unknown): void {
  leave(chain, stage, { failed: true, reason }, reason);
}

/** `stage` wants no more: what follows it ends normally, the stages before it are cancelled. */
export function terminateStage(chain: Chain, stage: Stage): void {
  const reason = new TypeError("Cannot write: a later stage has ended the stream");
  leave(chain, stage, { failed: false }, reason);
}

function leave(chain: Chain, stage: Stage, ending: Ending, reason: unknown): void {
  if (stage.isClosed) return;
  close(chain, stage, ending.failed);
  stage.isFinished = stage.hasLeft = true;
  chain.isStopped = true;
  chain.setEnding(stage.index + 1, ending);
  chain.stops.push({ from: stage.index - 1, reason });
  chain.schedule();
}

/** Lets nothing more in or out of `stage`. */
function close(chain: Chain, stage: Stage, hasFailed: boolean): void {
  chain.parkedCount -= stage.queue.length;
  stage.queue.clear();
  closeIterator(stage);
  stage.collector = undefined;
  stage.isClosed = true;
  stage.hasFailed = hasFailed;
}

/** Closes the stages from `index` on, which never started and so have nothing to cancel. */
export function closeUnstarted(chain: Chain, index: number): void {
  for (const stage of chain.stages.slice(index)) {
    close(chain, stage, true);
    stage.isFinished = true;
  }
}

/** Ends `stage`, whose input has ended: flushes it, or cancels it if the input failed. */
export function endStage(chain: Chain, stage: Stage, ending: Ending): void {
  if (ending.failed) failInput(chain, stage, ending);
  else flushStage(chain, stage, ending);
}

function failInput(chain: Chain, stage: Stage, ending: Ending & { failed: true }): void {
  close(chain, stage, true);
  if (stage.cancel === undefined) {
    stage.isFinished = true;
    chain.setEnding(stage.index + 1, ending);
    return;
  }
  const goOn = (ending: Ending) => {
    chain.setEnding(stage.index + 1, ending);
    chain.resume();
  };
  cancelStage(stage, ending.reason).then(
    () => goOn(ending),
    (reason) => goOn({ failed: true, reason }),
  );
}

function flushStage(chain: Chain, stage: Stage, ending: Ending): void {
  stage.isFinished = true;
  stage.ending = undefined;
  const finish = () => {
    if (stage.isClosed) return;
    stage.collector = undefined;
    stage.isClosed = true;
    chain.setEnding(stage.index + 1, ending);
    if (stage.index === 0) chain.input.finish();
  };
  if (stage.flush === undefined) return finish();
  const controller = chain.controllers[stage.index]!;
  const isMeasured = chain.output.measures && stage.index === chain.stages.length - 1;
  if (!isMeasured) stage.collector = chain.spare;
  try {
    const result = stage.flush.call(stage.transformer, controller);
    if (isPromiseLike(result)) chain.awaitStage(stage, result, finish);
    else finish();
  } catch (reason) {
    failStage(chain, stage, reason);
  }
  stage.collector = undefined;
  chain.takeSpare(stage);
  chain.walk(stage.index + 1);
}

/** The input failed; resolves once the first stage has been told. */
export async function abortChain(chain: Chain, reason: unknown): Promise<void> {
  chain.isStopped = true;
  const first = chain.stages[0]!;
  if (first.isBusy) await first.pending;
  if (first.isFinished) return;
  close(chain, first, true);
  try {
    await cancelStage(first, reason);
  } catch (other) {
    reason = other;
    throw other;
  } finally {
    chain.setEnding(1, { failed: true, reason });
    chain.resume();
  }
}

/** Cancels stage `index` and those before it, then stops the input; resolves once stage `index` has answered. */
export function stopStages(chain: Chain, index: number, reason: unknown): Promise<void> {
  // A stage that left has stopped those before it, for its own reason.
  const first = chain.stages.findLastIndex((stage) => stage.hasLeft && stage.index <= index) + 1;
  const stages = chain.stages.slice(first, index + 1).reverse();
  const unfinished = stages.filter((stage) => !stage.isFinished);
  for (const stage of stages) {
    if (!stage.isClosed) close(chain, stage, false);
  }
  const isFirstTold = unfinished.length > 0 && unfinished[0] === stages[0];
  const told = isFirstTold ? cancelStage(unfinished.shift()!, reason) : undefined;
  const all = (async () => {
    // Each hears the reason of the one after it, or what that one's own cancel failed with.
    await told?.catch((other) => reason = other);
    for (const stage of unfinished) {
      await cancelStage(stage, reason).catch((other) => reason = other);
    }
    if (first === 0) chain.input.stop(reason);
  })();
  chain.stopped = Promise.all([chain.stopped, all]).then(() => {});
  return told ?? Promise.resolve();
}

async function cancelStage(stage: Stage, reason: unknown): Promise<void> {
  if (stage.isFinished) return;
  stage.isFinished = true;
  if (stage.cancel !== undefined) await stage.cancel.call(stage.transformer, reason);
}
