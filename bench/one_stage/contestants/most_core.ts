import { chain, newStream, runEffects, tap } from "@most/core";
import { currentTime, newDefaultScheduler } from "@most/scheduler";
import type { Stream } from "@most/types";
import { partsOf, type RunOneStage } from "../job.ts";

const disposable = { dispose() {} };

/** A stream of what an array holds. */
function fromArray<T>(chunks: readonly T[]): Stream<T> {
  return newStream((sink, scheduler) => {
    const time = currentTime(scheduler);
    for (const chunk of chunks) sink.event(time, chunk);
    sink.end(time);
    return disposable;
  });
}

export const mostCore: RunOneStage = async ({ chunks, take }) => {
  const numbers = fromArray(chunks as readonly number[]);
  const parts = chain((number: number) => fromArray(partsOf(number)), numbers);
  await runEffects(tap(take, parts), newDefaultScheduler());
};
