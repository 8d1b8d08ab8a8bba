import { lookAtRuns } from "../pipeline/keep_runs.ts";
import { waitsOfRun } from "../pipeline/run_waits.ts";
import { findStage, nameOfPart } from "../kernels/name_of_part.ts";
import type { Recorder } from "../inspect/recorder.ts";
import { toRecording } from "../inspect/recording.ts";
import { type Show, type Snapshot, type StageSnapshot, takeSnapshot } from "./snapshot.ts";

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
