import { readFileSync } from "node:fs";
import type { MemoryRow } from "../extract_beside/memory_row.ts";
import { markdownTable } from "./markdown_table.ts";
import { wrapProse } from "./wrap_prose.ts";

/** The most memory that exports of large tables held. */
export function extractMemoryTable(rows: readonly MemoryRow[]): string {
  const number = (count: number) => count.toLocaleString("en-US");
  const body = rows.map(({ database, runtime, rows, bytes, peakMiB }) => [
    ...[`${database}, ${runtime}`, number(rows), number(Math.round(bytes / 2 ** 20)), `${peakMiB}`],
  ]);
  const [{ machine, commit, startedAt }] = rows as [MemoryRow];
  const provenance = wrapProse(
    `One run each, eight columns, CSV. By \`deno task extract:memory\` on ${machine.cpu}, ` +
      `${machine.cores} cores, ${machine.os}, ${startedAt.slice(0, 10)}, ` +
      `commit ${commit?.slice(0, 7) ?? "unknown"}.`,
  );
  return `${markdownTable(["", "rows", "MiB written", "most MiB held"], body)}\n\n${provenance}`;
}

/** The table of the committed runs. */
export function extractMemory(): string {
  const text = readFileSync(new URL("../extract_beside/memory.jsonl", import.meta.url), "utf8");
  return extractMemoryTable(text.trim().split("\n").map((line) => JSON.parse(line) as MemoryRow));
}
