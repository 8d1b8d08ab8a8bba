import { readFile, writeFile } from "node:fs/promises";
import { libraries } from "./_libraries.ts";

/** The page with the tables. */
export const page = new URL("../../docs/migrate.md", import.meta.url);

/** The lines of a Markdown table, as the formatter has it. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** The page with the tables as the rows are now. */
export function withTables(text: string): string {
  const tables = libraries.map(({ name, rows }) =>
    `## ${name}\n\n${tableOf([name, "here"], rows.map(({ theirs, ours }) => [theirs, ours]))}`
  ).join("\n\n");
  const block = /(<!-- migration -->\n)[^]*(\n<!-- \/migration -->)/;
  if (!block.test(text)) throw new Error("docs/migrate.md has no place for the tables");
  return text.replace(block, (_, from, to) => `${from}\n${tables}\n${to}`);
}

// Writes the tables of docs/migrate.md: deno run -A tests/migration/write_tables.ts
if (import.meta.main) await writeFile(page, withTables(await readFile(page, "utf8")));
