import { isStream } from "../source/find_source.ts";
import type { Stage } from "../engine/stage.ts";
import { endMeaningOf } from "../kernels/end_meaning.ts";
import { findStage, nameOfPart } from "../kernels/name_of_part.ts";
import type { PendingPart } from "./pending_run.ts";
import type { RunPlace } from "../engine/run_failure.ts";
import type { PullInput } from "./pull_input.ts";
import type { PushOutput } from "./push_output.ts";

/** What a run is waited for that ends: its sink, its stages or its source. */
export type EndPhase = "sink" | "stages" | "source";

/** How far a run is. */
export interface RunLook {
  readonly place: RunPlace;
  readonly input: PullInput;
  readonly output: PushOutput;
  readonly stages: readonly Stage[];
  /** There while it ends. */
  readonly phase: EndPhase | undefined;
  readonly hasFailed: boolean;
  readonly startedAtMs: number;
  /** When it moved last, about. */
  readonly movedAtMs: number;
}

/** What can be looked at while it runs. */
export interface LookableRun {
  look(): RunLook;
}

type ChainLook = Pick<RunLook, "stages" | "place">;

/** What a source or a sink of ours says that it waits for. */
function saidOf(end: unknown): string | undefined {
  const { waiting, chain } = endMeaningOf(Object(end)) ?? {};
  if (chain === undefined) return waiting?.();
  const [first] = waitsOfStages(chain as ChainLook);
  return first === undefined ? waiting!() : `stage ${first.stage}, ${first.name}: ${first.what}`;
}

function unsettled(what: string): string {
  return `its ${what} has not settled`;
}

function saidOfStage({ waiting, isDone, isOpen, ending, readFailure, chunkIndex }: Stage): string {
  if (waiting !== undefined) return waiting;
  if (!isDone) {
    return unsettled(chunkIndex === undefined ? "start" : `call with chunk ${chunkIndex + 1}`);
  }
  const isFlushing = ending?.failed === false || readFailure === undefined && isOpen;
  return unsettled(isFlushing ? "flush" : "cancel");
}

/** The stages that a promise keeps busy, the last first: what is behind a stage does not wait for it. */
function waitsOfStages({ stages, place: { call, from } }: ChainLook): PendingPart[] {
  return stages.filter(({ isBusy, isDone, finish }) =>
    isBusy || isDone && finish?.isPending === true
  )
    .toReversed()
    .map((stage): PendingPart => {
      const [number, part, found] = findStage(call.stages, from + stage.index);
      const name = nameOfPart(found);
      const what = saidOfStage(stage);
      return number <= (call.stageCount ?? number)
        ? { side: "stage", stage: number, part, name, what }
        : { side: "sink", stage: undefined, part: undefined, name, what };
    });
}

/** Whatever a source of the user's does when it is asked. */
function isStreamLike(source: unknown): boolean {
  try {
    return isStream(source);
  } catch {
    return false;
  }
}

/** What a run waits for, the part first that the others wait for. */
export function waitsOfRun(look: RunLook): PendingPart[] {
  const { phase, hasFailed, input, output, place: { call, from, pairAt } } = look;
  /** The source or the sink, as what is waited for; behind or before a pair of streams that is one. */
  const end = (side: "source" | "sink", what: string, pair?: number): PendingPart => {
    const isPair = pair !== undefined && pair >= 0;
    const part = isPair ? findStage(call.stages, pair)[2] : call[side];
    const name = nameOfPart(part, isPair || side === "sink" ? "pair of streams" : "iterable");
    return { side, stage: undefined, part: undefined, name, what: saidOf(part) ?? what };
  };
  if (phase === "sink") return [end("sink", unsettled(hasFailed ? "abort" : "close"))];
  if (phase === "source") return [end("source", unsettled("cancel"))];
  const waits = waitsOfStages(look);
  if (phase === "stages") return waits;
  if (output.waiting !== undefined) {
    const number = output.chunksWritten + 1;
    const what = output.awaitsRoom
      ? `it has no room for chunk ${number}`
      : unsettled(`write ${number}`);
    waits.unshift(end("sink", what, pairAt));
  }
  if (input.isReading) {
    const isStream = from > 0 || isStreamLike(call.source);
    const what = isStream ? "it has given nothing since" : "next() has not answered";
    waits.push(end("source", what, from - 1));
  }
  return waits;
}
