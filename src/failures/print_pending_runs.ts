import type { PendingPart, PendingRun } from "../pipeline/pending_run.ts";
import { listRuns } from "./keep_runs.ts";

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

/**
 * Prints the runs that have not ended, and what each waits for, the part first that the others wait for.
 *
 * @param write Gets each line. Default: `console.error`.
 * @returns How many runs there are.
 *
 * @example To be read by a person
 * ```ts
 * import { pipeline, printPendingRuns } from "@hosepipe/streams";
 * import { assertEquals, assertMatch } from "@std/assert";
 *
 * const controller = new AbortController();
 * const { signal } = controller;
 * const run = pipeline(["a"], () => new Promise(() => {}), { signal });
 * await Promise.resolve();
 *
 * const lines: string[] = [];
 * assertEquals(printPendingRuns((line) => lines.push(line)), 1);
 * assertMatch(lines[0]!, /^pipeline, for .* s: 1 read, 0 written, none for .* s$/);
 * assertEquals(lines[1], "  sink, function: its write 1 has not settled");
 *
 * controller.abort();
 * await run.catch(() => {});
 * ```
 */
export function printPendingRuns(
  write: (line: string) => void = (line) => console.error(line),
): number {
  const runs = listRuns();
  if (runs.length === 0) write("No run is pending");
  for (const line of runs.flatMap(linesOf)) write(line);
  return runs.length;
}
