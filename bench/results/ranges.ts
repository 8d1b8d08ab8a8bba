import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import { isMeasured, type MeasuredRow, type ResultFile } from "./result.ts";
import type { Params } from "./params.ts";

/** The least and the most of a figure over several runs. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Which row of each run is meant: `params` may name some of its parameters. */
export interface RowQuery {
  readonly workload: string;
  readonly contestant: string;
  readonly runtime: RuntimeName;
  readonly params: Params;
}

function rangeOf(values: readonly number[]): Range | undefined {
  return values.length === 0 ? undefined : { low: Math.min(...values), high: Math.max(...values) };
}

/** The row that a query means in one run, if it was measured. */
function findRow({ rows }: ResultFile, query: RowQuery): MeasuredRow | undefined {
  return rows.filter(isMeasured).find((row) =>
    row.workload === query.workload && row.contestant === query.contestant &&
    row.runtime === query.runtime &&
    Object.entries(query.params).every(([name, value]) => row.params[name] === value)
  );
}

/** The range of a row's median over the runs; undefined if no run has it. */
export function medianRange(runs: readonly ResultFile[], query: RowQuery): Range | undefined {
  return rangeOf(runs.flatMap((run) => findRow(run, query)?.median ?? []));
}

/** The range over the runs of the ratio of two rows, each ratio of one run; undefined if no run has both. */
export function ratioRange(
  runs: readonly ResultFile[],
  dividend: RowQuery,
  divisor: RowQuery,
): Range | undefined {
  return rangeOf(runs.flatMap((run) => {
    const [above, below] = [findRow(run, dividend), findRow(run, divisor)];
    return above === undefined || below === undefined ? [] : [above.median / below.median];
  }));
}
