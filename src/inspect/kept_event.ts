import type { StageRecord } from "./stage_record.ts";
import type { Occupancy, ProbeEvent, ProbeEventName } from "./types.ts";

/** An event as it is kept: one that is forgotten gives its place to another, so that none costs an object. */
export class KeptEvent {
  /** By the probe's clock. */
  timeMs = 0;
  stage: StageRecord | undefined;
  event: ProbeEventName = "read";
  /** Which of the stage's chunks it is of; 0 of none. */
  ordinal = 0;
  /** What the chunk is called, or a reason. */
  text: string | undefined;
  desiredSize: number | null | undefined;
  wantsMore: boolean | undefined;
  durationMs: number | undefined;
  readonly occupancy: Counts = { ...none };
}

/** An occupancy that can be counted again. */
export type Counts = { -readonly [Place in keyof Occupancy]: Occupancy[Place] };

/** Nothing is anywhere. */
export const none: Occupancy = {
  readerOut: 0,
  transformerIn: 0,
  transforming: 0,
  transformerOut: 0,
  writerIn: 0,
  writing: 0,
  written: 0,
};

/** The event as it is shown; one that is `bare` has no words that were made of a chunk: no reason, and for a name its number. */
export function showEvent(
  kept: KeptEvent,
  seq: number,
  startedAtMs: number,
  isBare: boolean,
): ProbeEvent {
  const { timeMs, stage, event, ordinal, desiredSize, wantsMore, durationMs } = kept;
  const text = isBare ? undefined : kept.text;
  return {
    seq,
    timeMs: timeMs - startedAtMs,
    stage: stage!.name,
    event,
    ...(ordinal > 0 ? { id: text ?? String(ordinal) } : {}),
    ...(desiredSize === undefined ? {} : { desiredSize }),
    ...(wantsMore === undefined ? {} : { wantsMore }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(ordinal === 0 && text !== undefined ? { reason: text } : {}),
    occupancy: { ...kept.occupancy },
  };
}
