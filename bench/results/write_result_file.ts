import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import type { ResultFile, RunsFile } from "./result.ts";

/** Six digits of what was measured: clocks and machines tell no more. */
function round(_key: string, value: unknown): unknown {
  const isFraction = typeof value === "number" && !Number.isInteger(value);
  return isFraction ? Number(value.toPrecision(6)) : value;
}

/** A run's text: a row is a line, so that two results can be compared by eye and by `diff`. */
function serialize({ rows, ...head }: ResultFile): string {
  const lines = rows.map((row) => "  " + JSON.stringify(row, round)).join(",\n");
  const opening = JSON.stringify(head, null, 2).replace(/\n}$/, "");
  return `${opening},\n  "rows": [\n${lines}\n  ]\n}\n`;
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Writes a result file whole or not at all: a reader never sees half of one. */
export function writeResultFile(path: string, result: ResultFile): Promise<void> {
  return writeWhole(path, serialize(result));
}

/** Writes several runs as one file, whole or not at all. */
export function writeRunsFile(path: string, { runs }: Pick<RunsFile, "runs">): Promise<void> {
  return writeWhole(path, `{"schema": 2, "runs": [\n${runs.map(serialize).join(",\n")}]}\n`);
}
