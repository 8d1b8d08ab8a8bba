import type { Recorder } from "./recorder.ts";
import type { StageRecord } from "./stage_record.ts";
import type { ProbedKind } from "./types.ts";

/** How busy one stage was, and how full the buffers on both sides of it were. */
export interface StageLoad {
  /** The name of the stage. */
  readonly stage: string;
  /** The share of the time during which it was busy, from 0 to 1. */
  readonly busyShare: number;
  /**
   * How full the buffers before it were on average, as a share of their high-water marks; above 1 where they were
   * overfilled, `undefined` where they have no room to fill.
   */
  readonly fullnessBefore: number | undefined;
  /** The same for the buffers after it. */
  readonly fullnessAfter: number | undefined;
}

/** What limits the speed of a pipeline. */
export interface Bottleneck {
  /** The name of the stage; `undefined` if there is none. */
  readonly stage: string | undefined;
  /** What kind of stage it is; `"none"` if no stage was busy for half of the time. */
  readonly kind: ProbedKind | "none";
  /** The load of that stage, if there is one. */
  readonly load: StageLoad | undefined;
  /** The load of every stage, in the order of the pipeline. */
  readonly stages: readonly StageLoad[];
  /** One sentence that says so. */
  readonly summary: string;
}

/** A chunk in the hands of a stage holds its place in the queue, so one place is no room to wait in. */
function roomBefore(stage: StageRecord): number {
  const { previous } = stage;
  if (previous === undefined) return 0;
  const out = previous.gauge.highWaterMark ?? previous.outHighWaterMark ?? 0;
  // Each stage but the first has a mark.
  return out + Math.max(0, stage.inHighWaterMark! - 1);
}

/** `restMs` is how long nothing has happened. */
function fullnessBefore(
  stage: StageRecord | undefined,
  elapsedMs: number,
  restMs: number,
): number | undefined {
  if (stage === undefined || elapsedMs === 0) return undefined;
  const room = roomBefore(stage);
  const waitingTime = stage.waitingTime + stage.waiting * restMs;
  return room > 0 ? waitingTime / elapsedMs / room : undefined;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** "it is busy 75 % of the time, the buffers before it are full, and the buffers after it are empty". */
function busyText({ busyShare, fullnessBefore, fullnessAfter }: StageLoad): string {
  const fullness = (place: string, share: number | undefined) => {
    if (share === undefined) return [];
    const words = percent(share).replace(/^0 %$/, "empty").replace(/^100 %$/, "full");
    return [`the buffers ${place} it are ${words.replace("%", "% full")}`];
  };
  const busy = percent(busyShare) === "100 %"
    ? "it is always busy"
    : `it is busy ${percent(busyShare)} of the time`;
  const all = [busy, ...fullness("before", fullnessBefore), ...fullness("after", fullnessAfter)];
  const last = all.length > 1 ? `, and ${all.pop()}` : "";
  return all.join(", ") + last;
}

/** Chooses the stage that is busy most of the time while chunks wait for it; `kinds` are those of the stages. */
export function judgeLoads(
  loads: readonly StageLoad[],
  kinds: readonly ProbedKind[],
): Bottleneck {
  const busy = loads.filter(({ busyShare }) => busyShare >= 0.5);
  // Several can be busy at a time: then it is the last one that others wait for.
  const load = busy.findLast(({ fullnessBefore }) => (fullnessBefore ?? 0) >= 0.5) ??
    busy.toSorted((one, other) => other.busyShare - one.busyShare)[0];
  if (load === undefined) {
    const summary = "No bottleneck: no stage was busy more than 50 % of the time.";
    return { stage: undefined, kind: "none", load, stages: loads, summary };
  }
  const kind = kinds[loads.indexOf(load)]!;
  const name = load.stage === kind ? `The ${kind}` : `The ${kind} "${load.stage}"`;
  const summary = `${name} is the bottleneck: ${busyText(load)}.`;
  return { stage: load.stage, kind, load, stages: loads, summary };
}

/** Looks for the bottleneck of all that a recorder has seen. */
export function findBottleneck(recorder: Recorder): Bottleneck {
  const { stages, firstMs, startedAtMs, isOver } = recorder;
  const endMs = isOver ? recorder.lastMs : recorder.clock.read();
  const elapsedMs = firstMs === undefined ? 0 : endMs - Math.min(firstMs, startedAtMs);
  const restMs = endMs - recorder.lastMs;
  const loads = stages.map((stage): StageLoad => ({
    stage: stage.name,
    busyShare: elapsedMs > 0
      ? Math.min(1, (stage.pushes ? stage.idleMs : stage.busyMs(endMs)) / elapsedMs)
      : 0,
    fullnessBefore: fullnessBefore(stage, elapsedMs, restMs),
    fullnessAfter: fullnessBefore(stage.next, elapsedMs, restMs),
  }));
  return judgeLoads(loads, stages.map(({ kind }) => kind));
}
