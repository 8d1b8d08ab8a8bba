import { readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { resolvePath } from "../../command_line/resolve_path.ts";

/** Flags of a command that adds rows to the file behind a table of the documentation. */
export const rowsFlags = {
  rounds: { kind: "integer", about: "how often; default: 5", minimum: 1 },
  results: { kind: "text", value: "FILE", about: "default: that of the documentation" },
} as const;

/** The file that `--results` names, or the committed one. */
export function rowsFile(results: string | undefined, committed: URL): string {
  return results === undefined ? fileURLToPath(committed) : resolvePath(results);
}

/** The rows that a file has, a line of JSON each. */
export function readRows<Row>(path: string | URL): Row[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
}

/** Adds a row to a file. */
export async function addRow(path: string, row: object): Promise<void> {
  await appendFile(path, `${JSON.stringify(row)}\n`);
}
