import { isPromiseLike } from "../is_promise_like.ts";
import type { Recorder } from "./recorder.ts";
import type { StageRecord } from "./stage_record.ts";
import type { ProbeEvent } from "./types.ts";

function describe(reason: unknown): string {
  try {
    return String(reason);
  } catch {
    return typeof reason;
  }
}

/** Says what happens in one stage, in the one order that holds for every API. */
export class StageEvents {
  readonly recorder: Recorder;
  readonly record: StageRecord;

  constructor(recorder: Recorder, record: StageRecord) {
    this.recorder = recorder;
    this.record = record;
  }

  /** A source gives a chunk; to be called before it does, since what follows may happen within. */
  read(chunk: unknown): void {
    const { recorder, record } = this;
    record.given++;
    record.entering = 1;
    recorder.emit(record, "read", { id: recorder.identify(chunk, record.given) });
    record.entering = 0;
  }

  /** A chunk is put in the queue by `put`, which answers how much room is left. */
  enqueue(chunk: unknown, put: () => { desiredSize: number | null; wantsMore: boolean }): void {
    const { recorder, record } = this;
    const ordinal = record.given;
    record.ledger()?.add(record.outSize?.(chunk) ?? 1, record.next?.inSize?.(chunk) ?? 1);
    const result = put();
    recorder.emit(record, "enqueued", { id: recorder.identify(chunk, ordinal), ...result });
    if (!result.wantsMore) this.pause();
  }

  pause(): void {
    if (this.record.isPaused) return;
    this.record.isPaused = true;
    this.recorder.emit(this.record, "backpressure", {});
  }

  /** The stage is asked for more. */
  drain(): void {
    if (!this.record.isPaused) return;
    this.record.isPaused = false;
    this.recorder.emit(this.record, "drain", {});
  }

  /** A transform or write begins; `finished` says that it is over. */
  begin(event: "transform" | "write", chunk: unknown): { finished: (isDone: boolean) => void } {
    const { recorder, record } = this;
    const timeMs = recorder.now();
    const id = recorder.identify(chunk, ++record.begun);
    record.hasGiven = false;
    record.beginWork(timeMs);
    const entry: ProbeEvent | undefined = recorder.emit(record, event, { id }, timeMs);
    return {
      finished: (isDone) => {
        const endMs = recorder.now();
        record.finished++;
        record.endWork(endMs);
        if (entry !== undefined) entry.durationMs = endMs - timeMs;
        if (event === "write" && isDone) recorder.emit(record, "written", { id }, endMs);
        if (record.isWriteOnly && recorder.isOver) recorder.finish(record);
      },
    };
  }

  end(event: "end" | "final"): void {
    if (this.record.isOver) return;
    this.record.gauge.close();
    this.recorder.emit(this.record, event, {});
    this.recorder.finish(this.record);
  }

  fail(event: "error" | "cancel", reason: unknown): void {
    if (this.record.isOver) return;
    this.record.hasFailed = true;
    this.recorder.emit(this.record, event, { reason: describe(reason) });
    this.recorder.finish(this.record);
  }

  /**
   * Runs a method of the user's; `settled` is called as soon as it is over, well or not, before anyone else hears of
   * it. What it answers or throws is passed on as it is.
   */
  run(method: () => unknown, settled: (isDone: boolean) => void): unknown {
    let result: unknown;
    try {
      result = method();
    } catch (reason) {
      settled(false);
      this.fail("error", reason);
      throw reason;
    }
    if (!isPromiseLike(result)) {
      settled(true);
      return result;
    }
    const promise = Promise.resolve(result);
    promise.then(() => settled(true), (reason) => {
      settled(false);
      this.fail("error", reason);
    });
    return promise;
  }

  /** The same, counted as work of the stage. */
  work(method: () => unknown): unknown {
    const { recorder, record } = this;
    record.beginWork(recorder.now());
    return this.run(method, () => record.endWork(recorder.now()));
  }
}
