import type { PendingPart, PendingRun } from "../pipeline/pending_run.ts";
import { listRuns } from "../pipeline/keep_runs.ts";

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

function lineOf({ side, stage, part, name, what }: PendingPart): string {
  const place = stage === undefined
    ? side
    : `stage ${stage}${part === undefined ? "" : `.${part}`}`;
  return `  ${place}, ${name}: ${what}`;
}

function linesOf(run: PendingRun): string[] {
  const { pipeline, ageMs, idleMs, chunksRead, chunksWritten, waitsFor, isGone, callSite } = run;
  const site = callSite === undefined ? "" : `, started at ${callSite}`;
  if (isGone) {
    return [
      `${pipeline}, for ${seconds(ageMs)}${site}`,
      "  gone: nothing is left that could end it",
    ];
  }
  return [
    `${pipeline}, for ${seconds(ageMs)}: ${chunksRead} read, ${chunksWritten} written, ` +
    `none for ${seconds(idleMs)}${site}`,
    ...(waitsFor.length === 0 ? ["  it waits for nothing"] : waitsFor.map(lineOf)),
  ];
}

/** The lines for a person: each run that has not ended, and what it waits for, the part first that the others wait for. */
export function describeRuns(runs: readonly PendingRun[] = listRuns()): string[] {
  return runs.length === 0 ? ["No run is pending"] : runs.flatMap(linesOf);
}
