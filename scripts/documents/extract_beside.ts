import { median, quantile } from "../../bench/results/statistics.ts";
import { type BesideRow, ownTool } from "../extract_beside/beside_row.ts";
import { rowCounts } from "../extract_beside/fill_tables.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { readRows } from "../rows/rows_file.ts";
import { markdownTable } from "./markdown_table.ts";
import { measuredOn } from "./measured_on.ts";
import { wrapProse } from "../command_line/wrap_prose.ts";

/**
 * How long exports take beside the database's own tool: the median of the rounds, each compared with that tool in the
 * same round, since a machine is not as fast in all of them.
 */
export function extractBesideTable(rows: readonly BesideRow[]): string {
  const jobs = [...new Set(rows.map(({ job }) => job))];
  const body = jobs.map((job) => {
    const of = (tool: string) => rows.filter((row) => row.job === job && row.tool === tool);
    const own = new Map(of(ownTool).map(({ round, seconds }) => [round, seconds]));
    const times = runtimeNames.map((runtime) => {
      const ratios = of(runtime).map(({ round, seconds }) => seconds / own.get(round)!);
      const [least, middle, most] = [0, 0.5, 1].map((p) => quantile(ratios, p).toFixed(1));
      return `${middle} (${least} to ${most})`;
    });
    return [job, `${median([...own.values()]).toFixed(2)} s`, ...times];
  });
  const rounds = new Set(rows.map(({ round }) => round)).size;
  const number = (count: number) => count.toLocaleString("en-US");
  const provenance = wrapProse(
    `The median of ${rounds} rounds in which the tools took turns, each compared with its own tool ` +
      `in the same round, and the least and the most; the start of each process left out: ${
        number(rowCounts.postgres)
      } rows of PostgreSQL, ${number(rowCounts.sqlite)} of ` +
      `SQLite, eight columns. By \`deno task extract:beside\` on ${measuredOn(rows)}.`,
  );
  const head = ["", "its own tool, CSV", ...runtimeNames.map((name) => `times, ${name}`)];
  return `${markdownTable(head, body)}\n\n${provenance}`;
}

/** The table of the committed rounds. */
export function extractBeside(): string {
  return extractBesideTable(readRows(new URL("../extract_beside/rows.jsonl", import.meta.url)));
}
