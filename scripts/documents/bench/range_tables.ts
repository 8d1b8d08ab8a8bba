import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { describeParams } from "../../../bench/results/describe_params.ts";
import { noopName } from "../../../bench/results/noop_name.ts";
import { medianRange, ratioRange, type RowQuery } from "../../../bench/results/ranges.ts";
import type { Params } from "../../../bench/results/params.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import { isControl } from "../../../bench/results/roles.ts";
import { markdownTable } from "../markdown_table.ts";
import { notMeasured } from "../not_measured.ts";
import { runsProvenance } from "./runs_provenance.ts";
import { writeRatioRange, writeTimeRange } from "./write_range.ts";

const base = "pipeline";

/** The parameters by which the cases of a workload differ. */
function varying(all: readonly Params[]): string[] {
  const names = Object.keys(all[0] ?? {});
  return names.filter((name) => new Set(all.map((params) => params[name])).size > 1);
}

/**
 * One workload over several runs, for each runtime a table: contestants down, the fastest first, cases across.
 * Ours in time, the others in times as long as `pipeline` in the same run and runtime.
 */
export function rangeTables(runs: readonly ResultFile[], workload: string): string {
  const rows = runs.flatMap((run) => run.rows)
    .filter((row) => row.workload === workload && row.contestant !== noopName);
  if (rows.length === 0) return notMeasured(workload);
  const cases = [...new Map(rows.map(({ params }) => [describeParams(params), params])).values()]
    .sort((one, other) =>
      describeParams(one).localeCompare(describeParams(other), "en", { numeric: true })
    );
  const names = varying(cases);
  const titleOf = (params: Params) =>
    names.map((name) => `${name} ${params[name]}`).join(", ") || "times as long";
  const tables = runtimeNames.flatMap((runtime) => {
    const own = rows.filter((row) => row.runtime === runtime);
    if (own.length === 0) return [];
    const query = (contestant: string, params: Params): RowQuery => ({
      ...{ workload, contestant, runtime, params },
    });
    const ratio = (contestant: string, params: Params) =>
      ratioRange(runs, query(contestant, params), query(base, params));
    const score = (contestant: string) => {
      const all = cases.flatMap((params) => ratio(contestant, params)?.low ?? []);
      return all.length === 0
        ? Infinity
        : all.reduce((sum, one) => sum + Math.log(one), 0) / all.length;
    };
    const cell = (contestant: string, params: Params) => {
      if (contestant === base) {
        const time = medianRange(runs, query(base, params));
        return time === undefined ? "–" : writeTimeRange(time);
      }
      const range = ratio(contestant, params);
      if (range !== undefined) return writeRatioRange(range);
      const failed = own.some((row) =>
        row.contestant === contestant && "error" in row &&
        describeParams(row.params) === describeParams(params)
      );
      return failed ? "failed" : "–";
    };
    const contestants = [...new Set(own.map(({ contestant }) => contestant))]
      .sort((one, other) => score(one) - score(other));
    return [markdownTable(
      [`${runtime} ${own[0]!.runtimeVersion}`, ...cases.map(titleOf)],
      contestants.map((contestant) => [
        isControl(contestant)
          ? `_${contestant}_`
          : contestant === base
          ? `**${base}**`
          : contestant,
        ...cases.map((params) => cell(contestant, params)),
      ]),
    )];
  });
  return [...tables, runsProvenance(runs, workload)].join("\n\n");
}
