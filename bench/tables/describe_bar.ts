import { describeParams } from "../results/describe_params.ts";
import { threeDigits } from "./format_duration.ts";
import { isBarReached } from "./is_bar_reached.ts";
import { isMeasured, type MeasuredRow, type Row } from "../results/result.ts";
import type { RowTable } from "./row_table.ts";
import { ratioOfMedians } from "../results/statistics.ts";
import type { Bar, BarSide } from "./bar.ts";

function measured(row: Row | undefined): MeasuredRow[] {
  return row !== undefined && isMeasured(row) ? [row] : [];
}

function nameOf({ contestant, params = {} }: BarSide): string {
  return [contestant, describeParams(params)].filter(Boolean).join(" ");
}

/** The table that a side's row stands in, seen from `table`. */
function tableOf(
  { params }: BarSide,
  table: RowTable,
  tables: readonly RowTable[],
): RowTable | undefined {
  const wanted = describeParams({ ...table.params, ...params });
  return tables.find((one) =>
    one.workload === table.workload && describeParams(one.params) === wanted
  );
}

/** Says below a table in which runtimes a bar is reached; nothing if it belongs to another or is unknown. */
export function describeBar(bar: Bar, table: RowTable, tables: readonly RowTable[]): string[] {
  const { dividend, divisor, atMost, atLeast } = bar;
  if (tableOf(dividend, table, tables) !== table) return [];
  const divisorTable = tableOf(divisor, table, tables);
  const verdicts = table.runtimes.flatMap(({ name }) =>
    measured(table.row(dividend.contestant, name)).flatMap((row) =>
      measured(divisorTable?.row(divisor.contestant, name)).map((divisorRow) => {
        const ratio = ratioOfMedians(row, divisorRow);
        return `${name} ${threeDigits(ratio)}, ${isBarReached(bar, ratio) ? "met" : "missed"}`;
      })
    )
  );
  if (verdicts.length === 0) return [];
  const limit = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  const sides = `${nameOf(dividend)} ${limit} times ${nameOf(divisor)}`;
  return [`target: ${sides}; ${verdicts.join("; ")}`];
}
