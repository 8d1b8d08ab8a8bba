import { isMeasured, type ResultFile } from "../../bench/results/result.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { markdownTable } from "./markdown_table.ts";

const jobs = ["ndjson", "match"];

/** What a run costs in CPU time, of all threads together. */
export function threadsCpu({ rows }: ResultFile): string {
  const own = rows.filter(({ workload }) => workload === "threads");
  const contestants = [...new Set(own.map(({ contestant }) => contestant))].sort();
  const columns = jobs.flatMap((job) => runtimeNames.map((runtime) => ({ job, runtime })));
  const cpuOf = (name: string, { job, runtime }: typeof columns[number]): string => {
    const row = own.find((row) =>
      row.contestant === name && row.runtime === runtime && row.params.job === job
    );
    return row !== undefined && isMeasured(row) ? row.cpuMs.toFixed(0) : "–";
  };
  return markdownTable(
    ["CPU ms", ...columns.map(({ job, runtime }) => `${job}, ${runtime}`)],
    contestants.filter((name) => name !== "noop")
      .map((name) => [name, ...columns.map((column) => cpuOf(name, column))]),
  );
}
