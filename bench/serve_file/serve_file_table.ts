import { alignColumns } from "../../scenarios/command_line/align_columns.ts";
import { describeParams } from "../results/describe_params.ts";
import { noopName } from "../results/noop_name.ts";
import { isMeasured, type Row } from "../results/result.ts";
import { serveFileCells, serveFileHead } from "./serve_file_cells.ts";

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
