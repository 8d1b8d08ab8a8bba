import { alignColumns } from "./align_columns.ts";
import { describeBar } from "./describe_bar.ts";
import { describeParams } from "../results/describe_params.ts";
import { formatDuration, threeDigits } from "./format_duration.ts";
import { isNearTick } from "../results/is_near_tick.ts";
import { noopName } from "../results/noop_name.ts";
import { rateOf } from "./rate_of.ts";
import { isMeasured, type MeasuredRow, type Row } from "../results/result.ts";
import { type ContestantOrder, type RowTable, rowTables } from "./row_table.ts";
import { quartilesOverlap, ratioOfMedians } from "../results/statistics.ts";
import type { Bar } from "./bar.ts";
import type { Rate } from "./rate.ts";

/** What tables say beyond the rows: the order of contestants, and their reservations. */
export interface TableOptions {
  readonly order: ContestantOrder;
  /** A contestant's reservation, if it has one; becomes a footnote. */
  note(workload: string, contestant: string): string | undefined;
  /** What a workload's tables show besides time. */
  rates?(workload: string): readonly Rate[];
  /** What a workload's contestants have to reach. */
  bars?(workload: string): readonly Bar[];
}

const marks = {
  "~": "quartiles overlap with the best: which is faster is not settled",
  "!": "a sample is within 10 ticks of the runtime's clock: too short to tell",
  "+": "slow: the checked first iteration counts as a sample",
  "?": "fewer than 3 samples, for want of time",
};

function marksOf(row: MeasuredRow, best: MeasuredRow | undefined): string {
  const rivals = best !== undefined && row !== best && row.contestant !== noopName;
  return (rivals && quartilesOverlap(row, best) ? "~" : "") +
    (isNearTick(row) ? "!" : "") +
    (row.firstRunCounted ? "+" : "") +
    (row.samples.length < 3 ? "?" : "");
}

function timeCell(row: Row | undefined, best: MeasuredRow | undefined): string {
  if (row === undefined) return "-";
  if (!isMeasured(row)) return "failed";
  const ratio = best === undefined || row.contestant === noopName
    ? ""
    : `${threeDigits(ratioOfMedians(row, best))}x`;
  // Fixed widths keep units, ratios and marks each in a column of their own.
  return `${formatDuration(row.median)} ${ratio.padStart(5)} ${marksOf(row, best).padEnd(2)}`;
}

function grid(table: RowTable, cell: (row: Row | undefined) => string, corner = ""): string[] {
  const header = [corner, ...table.runtimes.map(({ name, version }) => `${name} ${version}`)];
  return alignColumns([
    header,
    ...table.contestants.map((contestant) => [
      contestant,
      ...table.runtimes.map(({ name }) => cell(table.row(contestant, name))),
    ]),
  ]);
}

function rateCell(row: Row | undefined, rate: Rate): string {
  if (row === undefined || !isMeasured(row) || row.contestant === noopName) return "-";
  return threeDigits(rateOf(row, rate));
}

function renderTable(
  table: RowTable,
  tables: readonly RowTable[],
  { note, rates, bars }: TableOptions,
): string[] {
  const { workload, params, contestants, runtimes, best } = table;
  const rows = contestants.flatMap((contestant) =>
    runtimes.flatMap(({ name }) => table.row(contestant, name) ?? [])
  );
  const measured = rows.filter(isMeasured);
  const lines = [
    [workload, describeParams(params)].filter(Boolean).join("  "),
    ...grid(table, (row) => timeCell(row, best)),
  ];
  for (const rate of rates?.(workload) ?? []) {
    lines.push("", ...grid(table, (row) => rateCell(row, rate), rate));
  }
  const extras = new Set(measured.flatMap(({ extra }) => Object.keys(extra ?? {})));
  for (const name of extras) {
    const cell = (row: Row | undefined) =>
      row && isMeasured(row) ? String(row.extra?.[name] ?? "-") : "-";
    lines.push("", ...grid(table, cell, name));
  }
  for (const bar of bars?.(workload) ?? []) lines.push(...describeBar(bar, table, tables));
  for (const [mark, meaning] of Object.entries(marks)) {
    if (measured.some((row) => marksOf(row, best).includes(mark))) lines.push(`${mark} ${meaning}`);
  }
  for (const row of rows) {
    if (!isMeasured(row)) lines.push(`failed: ${row.contestant}/${row.runtime}: ${row.error}`);
  }
  for (const contestant of contestants) {
    const reservation = note(workload, contestant);
    if (reservation !== undefined) lines.push(`${contestant}: ${reservation}`);
  }
  return lines;
}

/** Renders one table per workload and combination of parameters: contestants down, runtimes across. */
export function renderTables(rows: readonly Row[], options: TableOptions): string {
  const tables = rowTables(rows, options.order);
  return tables
    .map((table) => renderTable(table, tables, options).join("\n"))
    .join("\n\n");
}
