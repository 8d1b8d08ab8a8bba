import { describeCase } from "./describe_case.ts";
import { isMeasured, type ResultFile, type Row } from "./result.ts";
import { quartiles } from "./statistics.ts";

function pool(rows: readonly Row[]): Row {
  const measured = rows.filter(isMeasured);
  const failed = rows.find((row) => !isMeasured(row));
  // One failure in three runs is a failure.
  if (failed !== undefined) return failed;
  const samples = measured.flatMap((row) => row.samples).sort((one, other) => one - other);
  return { ...measured.at(-1)!, samples, ...quartiles(samples) };
}

/** Several runs as one: the samples of all of them for each case, the head of the last. */
export function mergeRuns(runs: readonly ResultFile[]): ResultFile {
  const rows = Map.groupBy(runs.flatMap((run) => run.rows), describeCase);
  return {
    ...runs.at(-1)!,
    elapsedMs: runs.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
    complete: runs.every(({ complete }) => complete),
    rows: [...rows.values()].map(pool),
  };
}
