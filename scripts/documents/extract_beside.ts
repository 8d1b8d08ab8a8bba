import { readFileSync } from "node:fs";
import { type BesideRow, ownTool } from "../extract_beside/beside_row.ts";
import { rowCounts } from "../extract_beside/fill_tables.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { markdownTable } from "./markdown_table.ts";
import { wrapProse } from "./wrap_prose.ts";

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor((sorted.length - 1) / 2)]!;
}

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
      const sorted = of(runtime).map(({ round, seconds }) => seconds / own.get(round)!)
        .sort((one, other) => one - other);
      const [least, most] = [sorted[0]!, sorted.at(-1)!].map((time) => time.toFixed(1));
      return `${middle(sorted).toFixed(1)} (${least} to ${most})`;
    });
    const seconds = middle([...own.values()].sort((one, other) => one - other));
    return [job, `${seconds.toFixed(2)} s`, ...times];
  });
  const [{ machine, commit, startedAt }] = rows as [BesideRow];
  const rounds = new Set(rows.map(({ round }) => round)).size;
  const number = (count: number) => count.toLocaleString("en-US");
  const provenance = wrapProse(
    `The median of ${rounds} rounds in which the tools took turns, each compared with its own tool ` +
      `in the same round, and the least and the most; the start of each process left out: ${
        number(rowCounts.postgres)
      } rows of PostgreSQL, ${number(rowCounts.sqlite)} of ` +
      `SQLite, eight columns. By \`deno task extract:beside\` on ${machine.cpu}, ` +
      `${machine.cores} cores, ${machine.os}, ${startedAt.slice(0, 10)}, ` +
      `commit ${commit?.slice(0, 7) ?? "unknown"}.`,
  );
  const head = ["", "its own tool, CSV", ...runtimeNames.map((name) => `times, ${name}`)];
  return `${markdownTable(head, body)}\n\n${provenance}`;
}

/** The table of the committed rounds. */
export function extractBeside(): string {
  const text = readFileSync(new URL("../extract_beside/rows.jsonl", import.meta.url), "utf8");
  return extractBesideTable(text.trim().split("\n").map((line) => JSON.parse(line) as BesideRow));
}
