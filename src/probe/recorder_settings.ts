import type { StageRecord } from "./stage_record.ts";
import type { ProbeAnswer, ProbeEvent } from "./types.ts";

/** What a recorder is made with; see `RecorderOptions` of `probe`. */
export interface RecorderSettings {
  readonly name: string;
  readonly capacity: number;
  readonly identify: ((chunk: unknown) => string) | undefined;
  readonly onEvent: ((event: ProbeEvent) => void) | undefined;
  readonly onAnswer: ((answer: ProbeAnswer) => void) | undefined;
  readonly now: (() => number) | undefined;
}

/** Sees how long each chunk waited and was worked on. */
export interface RecorderObserver {
  /** A chunk that `stage` begins has waited so long since the stage before it gave it. */
  waited(stage: StageRecord, waitedMs: number): void;
  /** A call of `stage` took so long. */
  worked(stage: StageRecord, durationMs: number): void;
}

/** Sees how a pipeline and its stages begin and end. */
export interface RecorderLifecycle {
  /** The first thing happens. */
  begin(): void;
  /** A stage is put to use. */
  open(stage: StageRecord): void;
  /** A stage has failed. */
  fail(stage: StageRecord, reason: unknown): void;
  /** A stage says nothing more. */
  finish(stage: StageRecord): void;
}
