import { describeRuns } from "./describe_runs.ts";
import { listRuns } from "../pipeline/keep_runs.ts";

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
