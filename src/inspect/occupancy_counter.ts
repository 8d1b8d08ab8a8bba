import type { StageRecord } from "./stage_record.ts";
import type { Occupancy } from "./types.ts";

/** Counts the chunks at every place of a pipeline. */
export class OccupancyCounter {
  /** The numbers of an `Occupancy`, in its order. */
  readonly counts: Float64Array = new Float64Array(7);
  /** Whether anything was in the pipeline when it was last counted. */
  isBusy = false;

  /** Counts, and notes what waits before each stage. */
  take(stages: readonly StageRecord[]): void {
    const { counts } = this;
    let outBefore = 0;
    let transformerIn = 0, transforming = 0, transformerOut = 0;
    let isBusy = false;
    for (let index = 0; index < stages.length; index++) {
      const stage = stages[index]!;
      const { kind, begun } = stage;
      const inFlight = begun - stage.finished;
      if (kind === "reader") {
        counts[0] = outBefore = stage.out;
        if (outBefore > 0) isBusy = true;
        continue;
      }
      const waiting = stage.waitingBehind(outBefore);
      stage.waiting = outBefore + waiting;
      if (stage.waiting > 0 || inFlight > 0) isBusy = true;
      if (kind === "writer") {
        counts[4] = waiting;
        counts[5] = inFlight;
        counts[6] = stage.done;
        continue;
      }
      outBefore = stage.out;
      if (outBefore > 0) isBusy = true;
      transformerIn += waiting;
      transforming += stage.transforming;
      transformerOut += outBefore;
    }
    counts[1] = transformerIn;
    counts[2] = transforming;
    counts[3] = transformerOut;
    this.isBusy = isBusy;
  }

  /** Counts a chunk that a source gives when it is asked, nothing else having moved. */
  countRead(reader: StageRecord): void {
    this.counts[0]!++;
    if (reader.next !== undefined) reader.next.waiting++;
  }

  /** Counts a write that has ended, nothing else having moved. */
  countWritten(): void {
    const { counts } = this;
    counts[5]!--;
    counts[6]!++;
    let left = 0;
    for (let place = 0; place < 6; place++) left += counts[place]!;
    this.isBusy = left > 0;
  }

  toOccupancy(): Occupancy {
    const [readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written] =
      this.counts as unknown as [number, number, number, number, number, number, number];
    return { readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written };
  }
}
