import { alignColumns } from "../../scenarios/command_line/align_columns.ts";
import { describeParams } from "../results/describe_params.ts";
import { noopName } from "../results/noop_name.ts";
import { isMeasured, type Row } from "../results/result.ts";
import { threeDigits } from "../tables/format_duration.ts";

/** The columns of serve_file, by their titles. */
const columns: Readonly<Record<string, string>> = {
  "requests/s": "requestsPerSecond",
  "MiB/s": "MiBPerSecond",
  "p50 ms": "p50Ms",
  "p99 ms": "p99Ms",
  "errors": "errors",
  "idle MiB": "idleRssMiB",
  "peak MiB": "peakRssMiB",
  "arrayBuffers MiB": "arrayBuffersMiB",
  "files before": "filesBefore",
  "files after": "filesAfter",
  "CPU ms": "cpuMs",
};

/** The heading of serve_file's tables, after the contestant. */
const serveFileHead: readonly string[] = Object.keys(columns);

function cell(value: string | number | undefined): string {
  if (value === undefined || value === -1) return "–";
  if (typeof value === "string") return value;
  return Number.isInteger(value) ? String(value) : threeDigits(value);
}

/** A row's cells; a row that was not measured has none, and its reason stands below the table. */
function serveFileCells(row: Row): readonly string[] {
  return Object.values(columns).map((name, index) => {
    if (isMeasured(row)) {
      // No answer ended within the run, so nothing is known of how long one takes.
      const isUnknown = row.chunks === 0 && (name === "p50Ms" || name === "p99Ms");
      return isUnknown ? "–" : cell(row.extra?.[name]);
    }
    return index === 0 ? (row.refused ? "refused" : "failed") : "–";
  });
}

/** Renders the rows of serve_file: a table for each set of parameters and runtime, contestants down. */
export function serveFileTable(rows: readonly Row[]): string {
  const real = rows.filter(({ contestant }) => contestant !== noopName);
  const groups = Map.groupBy(
    real,
    ({ params, runtime, runtimeVersion }) =>
      `serve_file  ${describeParams(params)}  ${runtime} ${runtimeVersion}`,
  );
  return [...groups].map(([title, group]) => {
    const sorted = group.toSorted((one, other) => one.contestant < other.contestant ? -1 : 1);
    return [
      title,
      ...alignColumns([
        ["", ...serveFileHead],
        ...sorted.map((row) => [row.contestant, ...serveFileCells(row)]),
      ]),
      ...sorted.flatMap((row) => isMeasured(row) ? [] : [`${row.contestant}: ${row.error}`]),
    ].join("\n");
  }).join("\n\n");
}
