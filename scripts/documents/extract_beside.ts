import { readFileSync } from "node:fs";
import { type BesideRow, ownTool } from "../extract_beside/beside_row.ts";
import { rowCounts } from "../extract_beside/fill_tables.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { markdownTable } from "./markdown_table.ts";
import { wrapProse } from "./wrap_prose.ts";

/** How long exports take beside the database's own tool: the fastest of the rounds, which others disturbed least. */
export function extractBesideTable(rows: readonly BesideRow[]): string {
  const secondsOf = (job: string, tool: string) =>
    Math.min(
      ...rows.filter((row) => row.job === job && row.tool === tool).map(({ seconds }) => seconds),
    );
  const jobs = [...new Set(rows.map(({ job }) => job))];
  const body = jobs.map((job) => {
    const own = secondsOf(job, ownTool);
    const times = runtimeNames.map((runtime) => (secondsOf(job, runtime) / own).toFixed(1));
    return [job, `${own.toFixed(2)} s`, ...times];
  });
  const [{ machine, commit, startedAt }] = rows as [BesideRow];
  const rounds = new Set(rows.map(({ round }) => round)).size;
  const number = (count: number) => count.toLocaleString("en-US");
  const provenance = wrapProse(
    `The fastest of ${rounds} rounds in which the tools took turns, the start of each process ` +
      `left out: ${number(rowCounts.postgres)} rows of PostgreSQL, ${
        number(rowCounts.sqlite)
      } of ` +
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
