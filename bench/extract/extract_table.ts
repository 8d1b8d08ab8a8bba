import { steps } from "./contestants.ts";
import { alignColumns } from "../../scenarios/command_line/align_columns.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { noopName } from "../results/noop_name.ts";
import { isMeasured, type Row } from "../results/result.ts";

function cells(row: Row | undefined): [seconds: string, rate: string, memory: string] {
  if (row === undefined) return ["-", "-", "-"];
  if (!isMeasured(row)) return ["refused" in row ? "dies" : "failed", "-", "-"];
  return [
    (row.median / 1000).toFixed(2),
    String(Math.round(row.chunks / row.median * 1000)),
    row.peakRssMiB.toFixed(0),
  ];
}

const ratio = (of: number | undefined, to: number | undefined) =>
  of === undefined || to === undefined ? "-" : (of / to).toFixed(2);

/** The ladder, a table for each runtime: seconds, rows per second and peak memory of each period. */
export function extractTable(rows: readonly Row[]): string {
  const real = rows.filter(({ contestant }) => contestant !== noopName);
  const allDays = [...new Set(real.map(({ params }) => Number(params.days)))]
    .sort((one, other) => one - other);
  const tables = runtimeNames.flatMap((runtime) => {
    const ours = real.filter((row) => row.runtime === runtime);
    if (ours.length === 0) return [];
    const find = (step: string, days: number) =>
      ours.find((row) => row.contestant === step && row.params.days === days);
    const measured = (step: string, days: number) => {
      const row = find(step, days);
      return row !== undefined && isMeasured(row) ? row : undefined;
    };
    const [least, most] = [allDays[0]!, allDays.at(-1)!];
    const head = [
      `${runtime} ${ours[0]!.runtimeVersion}`,
      ...allDays.flatMap((days) => [`${days} d: s`, "rows/s", "MiB"]),
      "times cursor",
      "MiB ratio",
    ];
    const body = steps.filter(({ name }) => ours.some(({ contestant }) => contestant === name))
      .map(({ name }) => [
        name,
        ...allDays.flatMap((days) => cells(find(name, days))),
        ratio(measured("cursor", most)?.median, measured(name, most)?.median),
        least === most
          ? "-"
          : ratio(measured(name, most)?.peakRssMiB, measured(name, least)?.peakRssMiB),
      ]);
    const failures = ours.flatMap((row) =>
      isMeasured(row) ? [] : [`${row.contestant}, ${row.params.days} d: ${row.error}`]
    );
    return [[...alignColumns([head, ...body]), ...failures].join("\n")];
  });
  if (tables.length === 0) return "";
  const legend =
    "d: days. MiB: the most memory the process held; its ratio is the longest period's\n" +
    "to the shortest's. times cursor: how much faster than the step cursor, longest period.";
  return ["extract", ...tables, legend].join("\n\n");
}
