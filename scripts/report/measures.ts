import { formatDuration, threeDigits } from "../../bench/tables/format_duration.ts";
import { isNearTick } from "../../bench/results/is_near_tick.ts";
import { rateOf } from "../../bench/tables/rate_of.ts";
import type { MeasuredRow } from "../../bench/results/result.ts";
import { sampleCount } from "../../bench/results/sample_count.ts";
import type { Axis, Cell, Point } from "./chart.ts";

/** What a chart shows of a row: its time, or its time for each chunk. */
export type Measure = "time" | "time per chunk";

/** The axis of a measure; both are in seconds, and spread over powers of ten. */
export function measureAxis(measure: Measure): Axis {
  return { title: measure, scale: "log", unit: "s" };
}

function milliseconds(row: MeasuredRow, measure: Measure) {
  const per = measure === "time" || row.chunks === 0 ? 1 : row.chunks;
  return { median: row.median / per, p25: row.p25 / per, p75: row.p75 / per };
}

/** Both ends of a range of milliseconds, with their unit once if it is the same. */
export function formatRange(low: number, high: number): string {
  const [from, to] = [formatDuration(low).split(" "), formatDuration(high).split(" ")];
  return from[1] === to[1] ? `${from[0]}–${to.join(" ")}` : `${from.join(" ")} – ${to.join(" ")}`;
}

function formatSpeed(mebibytesPerSecond: number): string {
  return mebibytesPerSecond < 1024
    ? `${threeDigits(mebibytesPerSecond)} MiB/s`
    : `${threeDigits(mebibytesPerSecond / 1024)} GiB/s`;
}

/** A row as a point of a chart. */
export function pointOf(row: MeasuredRow, at: number | string, measure: Measure): Point {
  const { median, p25, p75 } = milliseconds(row, measure);
  const quartiles = `${formatDuration(p25)} to ${formatDuration(p75)}`;
  return {
    api: row.contestant,
    at,
    value: median / 1000,
    low: p25 / 1000,
    high: p75 / 1000,
    text: `${formatDuration(median)} (${quartiles})`,
  };
}

/** What a reader must know of a cell, as marks that the report explains. */
export function cellMarks(row: MeasuredRow): string {
  return (isNearTick(row) ? "!" : "") + (sampleCount(row) < 3 ? "?" : "");
}

/** What the columns of {@linkcode cellsOf} are called. */
export function cellsHead(measure: Measure): string[] {
  return [measure, "middle half", "n"];
}

/** A row as cells: the median and how much passes in a second, the quartiles, the number of samples. */
export function cellsOf(row: MeasuredRow, measure: Measure): Cell[] {
  const { median, p25, p75 } = milliseconds(row, measure);
  const marks = cellMarks(row);
  const isRate = measure === "time per chunk" && row.bytes > 0;
  return [
    {
      text: formatDuration(median) + (marks && ` ${marks}`),
      ...(isRate ? { details: [formatSpeed(rateOf(row, "MiB/s"))] } : {}),
    },
    { text: formatRange(p25, p75) },
    { text: String(sampleCount(row)) },
  ];
}
