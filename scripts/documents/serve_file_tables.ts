import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { describeParams } from "../../bench/results/describe_params.ts";
import { noopName } from "../../bench/results/noop_name.ts";
import { isMeasured, type ResultFile } from "../../bench/results/result.ts";
import { serveFileCells, serveFileHead } from "../../bench/serve_file/serve_file_cells.ts";
import { markdownTable } from "./markdown_table.ts";
import { notMeasured } from "./not_measured.ts";
import { provenance } from "./provenance.ts";

/** What serving a file took: per runtime a table, servers down; below it why one was refused. */
export function serveFileTables(results: ResultFile): string {
  const rows = results.rows.filter(({ workload, contestant }) =>
    workload === "serve_file" && contestant !== noopName
  );
  if (rows.length === 0) return notMeasured("serve_file");
  const tables = runtimeNames.flatMap((runtime) => {
    const own = rows.filter((row) => row.runtime === runtime)
      .sort((one, other) => one.contestant < other.contestant ? -1 : 1);
    if (own.length === 0) return [];
    const head = [`${runtime} ${own[0]!.runtimeVersion}`, ...serveFileHead];
    return [markdownTable(head, own.map((row) => [row.contestant, ...serveFileCells(row)]))];
  });
  const reasons = new Set(
    rows.flatMap((row) => isMeasured(row) ? [] : [`${row.contestant}: ${row.error}.`]),
  );
  const params = [...new Set(rows.map((row) => describeParams(row.params)))].join("; ");
  return [...tables, ...reasons, `Parameters: ${params}.`, provenance(results, "serve_file")]
    .join("\n\n");
}
