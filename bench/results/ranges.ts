import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import { isMeasured, type MeasuredRow, type Params, type ResultFile } from "./result.ts";

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

const rowsOfRuns = new WeakMap<ResultFile, Map<string, MeasuredRow[]>>();

/** The measured rows of one run that a query may mean, whatever their parameters: looked up, as queries are many. */
function rowsOf(run: ResultFile, { workload, contestant, runtime }: RowQuery): MeasuredRow[] {
  let rows = rowsOfRuns.get(run);
  if (rows === undefined) {
    rows = Map.groupBy(
      run.rows.filter(isMeasured),
      (row) => JSON.stringify([row.workload, row.contestant, row.runtime]),
    );
    rowsOfRuns.set(run, rows);
  }
  return rows.get(JSON.stringify([workload, contestant, runtime])) ?? [];
}

/** The rows that a query means in one run, if they were measured. */
function findRows(run: ResultFile, query: RowQuery): MeasuredRow[] {
  const params = Object.entries(query.params);
  return rowsOf(run, query).filter((row) =>
    params.every(([name, value]) => row.params[name] === value)
  );
}

/** The range of a row's median over the runs; undefined if no run has it. */
export function medianRange(runs: readonly ResultFile[], query: RowQuery): Range | undefined {
  return rangeOf(runs.flatMap((run) => findRows(run, query)[0]?.median ?? []));
}

/**
 * The range over the runs of the ratio of the fastest of several rivals in that run: so that each is taken at its best
 * setting.
 */
export function bestRatioRange(
  runs: readonly ResultFile[],
  dividends: readonly RowQuery[],
  divisor: RowQuery,
): Range | undefined {
  const least = (run: ResultFile, query: RowQuery) => ratioRange([run], query, divisor)?.low;
  return rangeOf(runs.flatMap((run) => {
    const ratios = dividends.flatMap((query) => least(run, query) ?? []);
    return ratios.length === 0 ? [] : [Math.min(...ratios)];
  }));
}

/**
 * The range over the runs of the ratio of two rows, each ratio of one run; undefined if no run has both. What a query
 * does not name of the parameters both have alike: each that was measured counts.
 */
export function ratioRange(
  runs: readonly ResultFile[],
  dividend: RowQuery,
  divisor: RowQuery,
): Range | undefined {
  return rangeOf(runs.flatMap((run) =>
    findRows(run, dividend).flatMap(({ params, median }) => {
      const query = { ...divisor, params: { ...params, ...divisor.params } };
      return findRows(run, query).map((below) => median / below.median);
    })
  ));
}
