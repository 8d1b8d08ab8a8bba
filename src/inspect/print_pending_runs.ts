import { listRuns } from "../pipeline/keep_runs.ts";
import type { PendingPart, PendingRun } from "../pipeline/pending_run.ts";

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

/**
 * Prints the runs that have not ended, and what each waits for, the part first that the others wait for.
 *
 * @param write Gets each line. Default: `console.error`.
 * @returns How many runs there are.
 *
 * @example To be read by a person
 * ```ts
 * import { pipeline } from "@hosepipe/streams";
 * import { printPendingRuns } from "@hosepipe/streams/inspect";
 * import assert from "node:assert/strict";
 *
 * const controller = new AbortController();
 * const { signal } = controller;
 * const run = pipeline(["a"], () => new Promise(() => {}), { signal });
 * await Promise.resolve();
 *
 * const lines: string[] = [];
 * assert.deepEqual(printPendingRuns((line) => lines.push(line)), 1);
 * assert.match(lines[0]!, /^pipeline, for .* s: 1 read, 0 written, none for .* s$/);
 * assert.deepEqual(lines[1], "  sink, function: its write 1 has not settled");
 *
 * controller.abort();
 * await run.catch(() => {});
 * ```
 */
export function printPendingRuns(
  write: (line: string) => void = (line) => console.error(line),
): number {
  const runs = listRuns();
  for (const line of describeRuns(runs)) write(line);
  return runs.length;
}
