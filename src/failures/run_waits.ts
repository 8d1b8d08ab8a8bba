import type { Stage } from "../engine/stage.ts";
import { endMeaningOf } from "../kernels/end_meaning.ts";
import { findStage } from "../kernels/find_stage.ts";
import { nameOfPart } from "../kernels/name_of_part.ts";
import type { PendingPart } from "../pipeline/pending_run.ts";
import type { RunLook } from "../pipeline/run_keeper.ts";

type ChainLook = Pick<RunLook, "stages" | "place">;

/** What a source or a sink of ours says that it waits for. */
function saidOf(end: unknown): string | undefined {
  const { waiting, chain } = endMeaningOf(Object(end)) ?? {};
  if (chain === undefined) return waiting?.();
  const [first] = waitsOfStages(chain as ChainLook);
  return first === undefined ? waiting!() : `stage ${first.stage}, ${first.name}: ${first.what}`;
}

function isFlushing(stage: Stage): boolean {
  return stage.ending?.failed === false || stage.readFailure === undefined && stage.isOpen;
}

function saidOfStage(stage: Stage): string {
  const said = stage.waiting;
  if (said !== undefined) return said;
  if (stage.isDone) {
    return `its ${isFlushing(stage) ? "flush" : "cancel"} has not settled`;
  }
  const { chunkIndex } = stage;
  return chunkIndex === undefined
    ? "its start has not settled"
    : `its call with chunk ${chunkIndex + 1} has not settled`;
}

/** The stages that a promise keeps busy, the last first: what is behind a stage does not wait for it. */
function waitsOfStages({ stages, place: { call, from } }: ChainLook): PendingPart[] {
  return stages.filter(({ isBusy, isDone, finish }) =>
    isBusy || isDone && finish?.isPending === true
  )
    .toReversed()
    .map((stage): PendingPart => {
      const [number, part, found] = findStage(call.stages, from + stage.index);
      const isUsers = number <= (call.stageCount ?? number);
      return {
        side: isUsers ? "stage" : "sink",
        stage: isUsers ? number : undefined,
        part: isUsers ? part : undefined,
        name: nameOfPart(found),
        what: saidOfStage(stage),
      };
    });
}

/** The source or the sink, as what is waited for. */
function ofEnd(side: "source" | "sink", name: string, what: string): PendingPart[] {
  return [{ side, stage: undefined, part: undefined, name, what }];
}

function waitOfSink({ output, place: { call, pairAt } }: RunLook): PendingPart[] {
  if (output.waiting === undefined) return [];
  const part = pairAt === undefined ? undefined : findStage(call.stages, pairAt)[2];
  const sink = part === undefined ? call.sink : part;
  const number = output.chunksWritten + 1;
  const what = saidOf(sink) ??
    (output.awaitsRoom
      ? `it has no room for chunk ${number}`
      : `its write ${number} has not settled`);
  return ofEnd("sink", nameOfPart(sink, "pair of streams"), what);
}

/** Whatever a source of the user's does when it is asked. */
function isStreamLike(source: unknown): boolean {
  try {
    return typeof (source as { getReader?: unknown }).getReader === "function";
  } catch {
    return false;
  }
}

function waitOfSource({ input, place: { call, from } }: RunLook): PendingPart[] {
  if (!input.isReading) return [];
  // Behind a pair of streams that is what is read.
  const source = from === 0 ? call.source : findStage(call.stages, from - 1)[2];
  const what = saidOf(source) ??
    (isStreamLike(source) || from > 0 ? "it has given nothing since" : "next() has not answered");
  return ofEnd("source", nameOfPart(source, from === 0 ? "iterable" : "pair of streams"), what);
}

/** What a run waits for, the part first that the others wait for. */
export function waitsOfRun(look: RunLook): PendingPart[] {
  const { phase, hasFailed, place: { call } } = look;
  const end = (side: "source" | "sink", what: string) =>
    ofEnd(side, nameOfPart(call[side], "iterable"), saidOf(call[side]) ?? what);
  if (phase === "sink") {
    return end("sink", `its ${hasFailed ? "abort" : "close"} has not settled`);
  }
  if (phase === "source") return end("source", "its cancel has not settled");
  const stages = waitsOfStages(look);
  if (phase === "stages") return stages;
  return [...waitOfSink(look), ...stages, ...waitOfSource(look)];
}
