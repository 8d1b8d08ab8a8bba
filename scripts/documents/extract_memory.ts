import type { MemoryRow } from "../extract_beside/memory_row.ts";
import { readRows } from "../rows/rows_file.ts";
import { markdownTable } from "./markdown_table.ts";
import { measuredOn } from "./measured_on.ts";
import { wrapProse } from "../command_line/wrap_prose.ts";

/** The most memory that exports of large tables held. */
export function extractMemoryTable(rows: readonly MemoryRow[]): string {
  const number = (count: number) => count.toLocaleString("en-US");
  const body = rows.map(({ database, runtime, rows, bytes, peakMiB }) => [
    ...[`${database}, ${runtime}`, number(rows), number(Math.round(bytes / 2 ** 20)), `${peakMiB}`],
  ]);
  const provenance = wrapProse(
    `One run each, eight columns, CSV. By \`deno task extract:memory\` on ${measuredOn(rows)}.`,
  );
  return `${markdownTable(["", "rows", "MiB written", "most MiB held"], body)}\n\n${provenance}`;
}

/** The table of the committed runs. */
export function extractMemory(): string {
  return extractMemoryTable(readRows(new URL("../extract_beside/memory.jsonl", import.meta.url)));
}
