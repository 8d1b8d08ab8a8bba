import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import type { ResultFile } from "./result.ts";

/** The file's text: a row is a line, so that two results can be compared by eye and by `diff`. */
function serialize({ rows, ...head }: ResultFile): string {
  const lines = rows.map((row) => "  " + JSON.stringify(row)).join(",\n");
  const opening = JSON.stringify(head, null, 2).replace(/\n}$/, "");
  return `${opening},\n  "rows": [\n${lines}\n  ]\n}\n`;
}

/** Writes a result file whole or not at all: a reader never sees half of one. */
export async function writeResultFile(path: string, result: ResultFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, serialize(result));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
