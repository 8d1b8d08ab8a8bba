import process from "node:process";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import type { ContestantEntry } from "../../bench/measure/workload.ts";
import type { Params } from "../../bench/results/params.ts";

/** The contestants that do a case in this process: a flag they need is given only by the driver. */
export function entriesHere<Entry extends ContestantEntry>(
  entries: readonly Entry[],
  params: Params,
): Entry[] {
  const { name } = currentRuntime();
  return entries.filter(({ runtimes, nodeFlags = [], takes }) =>
    (runtimes?.includes(name) ?? true) && (takes?.(params) ?? true) &&
    nodeFlags.every((flag) => process.execArgv.includes(flag))
  );
}
