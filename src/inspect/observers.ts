import { callListener } from "../call_listener.ts";
import type { Recorder, RecorderObserver } from "./recorder.ts";
import type { StageRecord } from "./stage_record.ts";

/** Lets several look at the times of one pipeline. */
class Observers implements RecorderObserver {
  readonly all = new Set<RecorderObserver>();

  waited(stage: StageRecord, waitedMs: number): void {
    this.#each((observer) => observer.waited(stage, waitedMs));
  }

  worked(stage: StageRecord, durationMs: number): void {
    this.#each((observer) => observer.worked(stage, durationMs));
  }

  #each(show: (observer: RecorderObserver) => void): void {
    for (const observer of this.all) callListener(show, observer);
  }
}

/** Has `observer` see the times of a pipeline, until the function that comes back is called. */
export function addObserver(recorder: Recorder, observer: RecorderObserver): () => void {
  const observers = recorder.observer as Observers | undefined ?? new Observers();
  recorder.observer = observers;
  observers.all.add(observer);
  return () => {
    observers.all.delete(observer);
    if (observers.all.size === 0) recorder.observer = undefined;
  };
}
