import { alignColumns } from "../../scenarios/command_line/parse_command_line.ts";
import {
  describeParams,
  isMeasured,
  isNearTick,
  type MeasuredRow,
  noopName,
  type Row,
} from "../results/result.ts";
import { formatDuration, type RowTable, rowTables, threeDigits, wrapText } from "./row_table.ts";
import type { Workload } from "../measure/workload.ts";
import { quartilesOverlap, ratioOfMedians } from "../results/statistics.ts";
import { type Bar, type BarSide, isBarReached, type Rate } from "./bar.ts";

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
function describeBar(bar: Bar, table: RowTable, tables: readonly RowTable[]): string[] {
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

/** What the median of a row amounts to: nanoseconds for each chunk, or MiB in each second. */
function rateOf({ median, chunks, bytes }: MeasuredRow, rate: Rate): number {
  return rate === "MiB/s" ? bytes / 2 ** 20 / (median / 1000) : median * 1e6 / chunks;
}

/** Both quartiles, with their unit once if it is the same, such as `1.02-1.10 ms`. */
function formatQuartiles(p25: number, p75: number): string {
  const [low, high] = [formatDuration(p25), formatDuration(p75)];
  const [lowNumber, lowUnit] = low.split(" ");
  return lowUnit === high.split(" ")[1] ? `${lowNumber}-${high}` : `${low}-${high}`;
}

const width = 80;

/** What must be known of a row to believe it. */
function remarks(row: MeasuredRow, base: MeasuredRow | undefined): string {
  const isRival = base !== undefined && row !== base && row.contestant !== noopName;
  return [
    row.samples.length < 3 ? "too few samples" : "",
    row.firstRunCounted ? "cold" : "",
    isNearTick(row) ? "near the clock's tick" : "",
    isRival && quartilesOverlap(row, base) ? "not settled" : "",
  ].filter(Boolean).join(", ");
}

function cells(row: Row | undefined, base: MeasuredRow | undefined): string[] {
  if (row === undefined) return ["-", "", "", "", ""];
  if (!isMeasured(row)) return ["failed", "", "", "", ""];
  const ratio = base === undefined || row.contestant === noopName
    ? ""
    : `${threeDigits(ratioOfMedians(row, base))}x`;
  return [
    formatDuration(row.median),
    formatQuartiles(row.p25, row.p75),
    String(row.samples.length),
    ratio,
    remarks(row, base),
  ];
}

function grid(head: readonly string[], lines: readonly (readonly string[])[]): string[] {
  const remarked = lines.map((line) => line[5] ?? "");
  const [first, ...rest] = alignColumns([head, ...lines].map((line) => line.slice(0, 5)));
  const aligned = rest.map((line, index) => {
    const remark = remarked[index]!;
    return remark === "" ? line : `${line.padEnd(first!.length)}  ${remark}`;
  });
  return [first!, ...aligned].flatMap((line) => wrapText(line, width));
}

/** Rates and what workloads measure besides, runtimes across. */
function sideGrid(
  table: RowTable,
  corner: string,
  cell: (row: Row | undefined) => string,
): string[] {
  return alignColumns([
    [corner, ...table.runtimes.map(({ name }) => name)],
    ...table.contestants.filter((contestant) => contestant !== noopName).map((contestant) => [
      contestant,
      ...table.runtimes.map(({ name }) => cell(table.row(contestant, name))),
    ]),
  ]);
}

function rateCell(row: Row | undefined, rate: Rate): string {
  return row === undefined || !isMeasured(row) ? "-" : threeDigits(rateOf(row, rate));
}

function renderTable(
  table: RowTable,
  tables: readonly RowTable[],
  of: Workload | undefined,
  verbose: boolean,
): string[] {
  const { workload, params, runtimes } = table;
  const { rates = [], bars = [] } = verbose && of || {};
  const contestants = table.contestants.filter((name) => verbose || name !== noopName);
  const rows = contestants.flatMap((contestant) =>
    runtimes.flatMap(({ name }) => table.row(contestant, name) ?? [])
  );
  const lines = [[workload, describeParams(params)].filter(Boolean).join("  ")];
  for (const { name, version } of runtimes) {
    const base = table.base(name);
    const head = [
      `${name} ${version}`,
      ...["median", "quartiles", "n", base === undefined ? "" : `/ ${base.contestant}`],
    ];
    const own = contestants.filter((contestant) => table.row(contestant, name) !== undefined);
    lines.push(
      ...grid(
        head,
        own.map((contestant) => [contestant, ...cells(table.row(contestant, name), base)]),
      ),
    );
  }
  for (const rate of rates) {
    lines.push(...sideGrid(table, rate, (row) => rateCell(row, rate)));
  }
  const extras = new Set(rows.filter(isMeasured).flatMap(({ extra }) => Object.keys(extra ?? {})));
  for (const name of extras) {
    lines.push(
      ...sideGrid(
        table,
        name,
        (row) => row && isMeasured(row) ? String(row.extra?.[name] ?? "-") : "-",
      ),
    );
  }
  for (const bar of bars) {
    lines.push(...describeBar(bar, table, tables).flatMap((line) => wrapText(line, width)));
  }
  for (const row of rows) {
    if (isMeasured(row)) continue;
    lines.push(...wrapText(`failed: ${row.contestant}/${row.runtime}: ${row.error}`, width));
  }
  return lines;
}

/**
 * Renders one table per workload and combination of parameters, for each runtime: the median, the quartiles,
 * how many samples, and how many times as long as the fastest of ours it takes; no line over 80 columns.
 *
 * @param verbose Whether `noop`, rates and bars are shown.
 */
export function renderTables(
  rows: readonly Row[],
  workloads: readonly Workload[],
  verbose: boolean,
): string {
  const find = (name: string) => workloads.find((workload) => workload.name === name);
  const entriesOf = (name: string) => find(name)?.contestants ?? [];
  const tables = rowTables(rows, (workload) => entriesOf(workload).map(({ name }) => name));
  const blocks = tables.map((table) =>
    renderTable(table, tables, find(table.workload), verbose).join("\n")
  );
  const notes = tables.flatMap(({ workload, contestants }) =>
    entriesOf(workload).filter(({ name, note }) => note !== undefined && contestants.includes(name))
      .map(({ name, note }) => `${name}: ${note}`)
  );
  const footnotes = [...new Set(notes)].flatMap((line) => wrapText(line, width)).join("\n");
  return [...blocks, footnotes].filter(Boolean).join("\n\n");
}
