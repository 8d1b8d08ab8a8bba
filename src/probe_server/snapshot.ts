import { findBottleneck } from "../inspect/bottleneck.ts";
import { listBuffers } from "../inspect/create_output.ts";
import type { Recorder } from "../inspect/recorder.ts";
import { noChunk, type StageRecord } from "../inspect/stage_record.ts";
import type { ProbeBuffer, ProbedKind } from "../inspect/types.ts";

/** One stage at one instant, as the page shows it. */
export interface StageSnapshot {
  readonly name: string;
  readonly kind: ProbedKind;
  /** Chunks that it has given, or, a writer, has written; of a run without a probe, those that a stage has taken. */
  readonly done: number;
  /** Chunks being processed. */
  readonly inFlight: number;
  /** Whether it has been asked to pause. */
  readonly isPaused: boolean;
  readonly state: "running" | "over" | "failed";
  /** Not known without a probe. */
  readonly busyShare?: number;
  /** What it waits for at this time: calls, threads. */
  readonly waitsFor?: string | undefined;
  /** The last chunk, and why it failed, as text; only where chunks may be shown. */
  readonly chunk?: string;
  readonly reason?: string;
}

/** A pipeline at one instant, as the page shows it. */
export interface Snapshot {
  readonly name: string;
  readonly isOver: boolean;
  /** Whether there is a probe, and so a recording. Default: true. */
  readonly isProbed?: boolean;
  readonly summary: string;
  readonly stages: readonly StageSnapshot[];
  readonly buffers: readonly ProbeBuffer[];
}

/** Shows a chunk as text. */
export type Show = (chunk: unknown) => string;

const longest = 200;

function shorten(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function describeChunk(chunk: unknown, show: Show): string | undefined {
  if (chunk === noChunk) return undefined;
  try {
    return shorten(String(show(chunk)));
  } catch (error) {
    // A page must not bring down what it looks at; but it says so.
    return shorten(`show failed: ${error instanceof Error ? error.message : "not with an Error"}`);
  }
}

function stateOf({ hasFailed, isOver }: StageRecord): StageSnapshot["state"] {
  return hasFailed ? "failed" : isOver ? "over" : "running";
}

/** Looks at a pipeline; what is in its chunks, and reasons that may quote them, only with `show`. */
export function takeSnapshot(recorder: Recorder, show: Show | undefined): Snapshot {
  const { stages: loads, summary } = findBottleneck(recorder);
  const stages = recorder.stages.map((stage, index): StageSnapshot => ({
    name: stage.name,
    kind: stage.kind,
    done: stage.done,
    inFlight: stage.inFlight,
    isPaused: stage.isPaused,
    state: stateOf(stage),
    ...(stage.waitsFor === undefined ? {} : { waitsFor: stage.waitsFor() }),
    busyShare: Math.round(loads[index]!.busyShare * 100) / 100,
    ...(show === undefined ? {} : {
      chunk: describeChunk(stage.lastChunk, show),
      reason: stage.failure === undefined ? undefined : shorten(stage.failure),
    }),
  }));
  const { name, isOver } = recorder;
  return { name, isOver, summary, stages, buffers: listBuffers(recorder.stages) };
}
