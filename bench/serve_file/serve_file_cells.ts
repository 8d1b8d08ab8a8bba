import { threeDigits } from "../tables/format_duration.ts";
import { isMeasured, type Row } from "../results/result.ts";

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
export const serveFileHead: readonly string[] = Object.keys(columns);

function cell(value: string | number | undefined): string {
  if (value === undefined || value === -1) return "–";
  if (typeof value === "string") return value;
  return Number.isInteger(value) ? String(value) : threeDigits(value);
}

/** A row's cells; a row that was not measured has none, and its reason stands below the table. */
export function serveFileCells(row: Row): readonly string[] {
  return Object.values(columns).map((name, index) => {
    if (isMeasured(row)) {
      // No answer ended within the run, so nothing is known of how long one takes.
      const isUnknown = row.chunks === 0 && (name === "p50Ms" || name === "p99Ms");
      return isUnknown ? "–" : cell(row.extra?.[name]);
    }
    return index === 0 ? (row.refused ? "refused" : "failed") : "–";
  });
}
