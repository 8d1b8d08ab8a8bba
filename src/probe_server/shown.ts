import { lookAtRuns } from "../pipeline/keep_runs.ts";
import { waitsOfRun } from "../pipeline/run_waits.ts";
import { findStage, nameOfPart } from "../kernels/name_of_part.ts";
import type { Recorder } from "../inspect/recorder.ts";
import { toRecording } from "../inspect/recording.ts";
import { findBottleneck } from "../inspect/bottleneck.ts";
import { listBuffers } from "../inspect/create_output.ts";
import { noChunk, type StageRecord } from "../inspect/stage_record.ts";
import type { ProbeBuffer, ProbedKind } from "../inspect/types.ts";

/** One stage at one instant, as the page shows it. */
interface StageSnapshot {
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
type Show = (chunk: unknown) => string;

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

/** What a page shows. */
export interface Shown {
  /** How it is now. */
  look(): Snapshot;
  /** What is kept of it, as a recording; of a run without a probe nothing is. */
  readonly record?: () => string;
  /** It is shown no longer. */
  leave(): void;
}

/** What a probe sees. */
export function showProbe(recorder: Recorder, show: Show | undefined): Shown {
  if (show !== undefined) recorder.chunkWatchers++;
  return {
    look: () => takeSnapshot(recorder, show),
    record: () => toRecording(recorder, show === undefined),
    leave() {
      if (show !== undefined && --recorder.chunkWatchers === 0) recorder.forgetChunks();
    },
  };
}

type RunLooks = ReturnType<typeof lookAtRuns>;

const calm = { state: "running", isPaused: false } as const;

/** The stages of one part of a run, and the pair of streams behind it, if there is one. */
function stagesOfPart({ stages, place }: RunLooks[number], next: RunLooks[number] | undefined) {
  const { call, from, pairAt } = place;
  const describe = (
    index: number,
    done: number,
    inFlight: number,
    waitsFor?: string,
  ): StageSnapshot[] => {
    const [number, part, stage] = findStage(call.stages, index);
    if (number > (call.stageCount ?? number)) return [];
    const place = part === undefined ? `${number}` : `${number}.${part}`;
    const name = `${place} ${nameOfPart(stage)}`;
    return [{ ...calm, kind: "transformer", name, done, inFlight, waitsFor }];
  };
  return [
    ...stages.flatMap(({ index, takenCount, isBusy, waiting }) =>
      describe(from + index, takenCount, isBusy ? 1 : 0, waiting)
    ),
    ...(pairAt === undefined ? [] : describe(pairAt, next?.input.chunksRead ?? 0, 0)),
  ];
}

function stagesOf(looks: RunLooks): StageSnapshot[] {
  const { input, place: { call } } = looks[0]!;
  const { output } = looks.at(-1)!;
  const { source, sink, stageCount } = call;
  const [done, inFlight] = [output.chunksWritten, output.waiting === undefined ? 0 : 1];
  const stages = looks.flatMap((look, index) => stagesOfPart(look, looks[index + 1]));
  const name = nameOfPart(source, "iterable");
  return [
    { ...calm, kind: "reader", name, done: input.chunksRead, inFlight: 0 },
    ...stages,
    ...(stageCount === undefined
      ? [{ ...calm, kind: "writer" as const, name: nameOfPart(sink, "sink"), done, inFlight }]
      : []),
  ];
}

/** The run that goes by a name, without a probe: its counts, and what it waits for. */
export function showRun(name: string): Shown {
  let last: Snapshot | undefined;
  const look = (): Snapshot => {
    const looks = lookAtRuns(name);
    if (looks.length === 0) {
      const summary = last === undefined
        ? "No run of this name is pending."
        : "The run has ended; this is the last that was seen.";
      const isOver = last !== undefined;
      return { stages: [], buffers: [], isProbed: false, ...last, name, isOver, summary };
    }
    const waits = [...looks].reverse().flatMap(waitsOfRun);
    const [first] = waits;
    const summary = first === undefined
      ? "It waits for nothing."
      : `It waits for ${first.stage === undefined ? first.side : `stage ${first.stage}`}, ` +
        `${first.name}: ${first.what}.`;
    const stages = stagesOf(looks);
    return last = { name, isOver: false, isProbed: false, summary, stages, buffers: [] };
  };
  return { look, leave: () => {} };
}
