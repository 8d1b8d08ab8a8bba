import { findBottleneck } from "./bottleneck.ts";
import type { Recorder } from "./recorder.ts";
import type { StageRecord } from "./stage_record.ts";
import type { ProbedKind } from "./types.ts";

/** One stage of a recording. */
export interface RecordedStage {
  /** What it is called in the events. */
  readonly name: string;
  /** What kind of stage it is. */
  readonly kind: ProbedKind;
  /** The high-water mark of the queue before it; missing where there is none or it is not known. */
  readonly inHighWaterMark?: number | "Infinity";
  /** The same for the queue after it. */
  readonly outHighWaterMark?: number | "Infinity";
}

/** The first line of a recording. */
export interface RecordingHeader {
  /** Says that this is one. */
  readonly format: "hosepipe-probe";
  /** Of the format. */
  readonly version: 1;
  /** What the pipeline is called. */
  readonly name: string;
  /** How many events happened before the first one in the recording. */
  readonly dropped: number;
  /** The stages, in the order of the pipeline: one reader at most, any number of transformers, one writer at most. */
  readonly stages: readonly RecordedStage[];
  /** The sentence of `bottleneck()`, when the recording was taken. */
  readonly summary: string;
}

/** JSON would make `null` of infinity. */
function finite(_key: string, value: unknown): unknown {
  return value === Infinity ? "Infinity" : value;
}

function describeStage(stage: StageRecord): RecordedStage {
  const { name, kind, gauge, inHighWaterMark } = stage;
  const outHighWaterMark = gauge.highWaterMark ?? stage.outHighWaterMark;
  // JSON leaves out what is undefined.
  return { name, kind, inHighWaterMark, outHighWaterMark } as RecordedStage;
}

/** Writes down what is kept of a pipeline: a line about it, and one for each event; a bare one shows no chunks. */
export function toRecording(recorder: Recorder, isBare = false): string {
  const events = recorder.events(isBare);
  const header: RecordingHeader = {
    format: "hosepipe-probe",
    version: 1,
    name: recorder.name,
    dropped: recorder.count - events.length,
    stages: recorder.stages.map(describeStage),
    summary: findBottleneck(recorder).summary,
  };
  return [header, ...events].map((line) => `${JSON.stringify(line, finite)}\n`).join("");
}
