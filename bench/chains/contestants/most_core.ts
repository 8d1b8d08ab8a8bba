import { filter, map, newStream, runEffects, tap } from "@most/core";
import { currentTime, newDefaultScheduler } from "@most/scheduler";
import type { Stream } from "@most/types";
import type { Chunk, RunChain } from "../job.ts";
import { pushSource } from "../push_source.ts";

const disposable = { dispose() {} };

export const mostCore: RunChain = async (job) => {
  const written: Chunk[] = [];
  let chunks: Stream<Chunk> = newStream((sink, scheduler) => {
    const push = (chunk: Chunk) => sink.event(currentTime(scheduler), chunk);
    pushSource(job, push, written).then(
      () => sink.end(currentTime(scheduler)),
      (error) => sink.error(currentTime(scheduler), error),
    );
    return disposable;
  });
  for (const { kind, fn } of job.steps) {
    chunks = kind === "map" ? map(fn, chunks) : filter(fn, chunks);
  }
  await runEffects(tap((chunk) => void written.push(chunk), chunks), newDefaultScheduler());
};
