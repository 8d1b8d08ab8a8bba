import { readFile } from "node:fs/promises";
import { mergeRuns } from "./merge_runs.ts";
import type { ResultFile, RunsFile } from "./result.ts";

/**
 * Reads the runs that a result file holds: one, or, where several were published together, all of them.
 *
 * @throws {Error} If there is none, or it is of another schema.
 */
export async function readRuns(path: string): Promise<readonly ResultFile[]> {
  const refuse = (reason: string, cause?: unknown) =>
    new Error(`Cannot read results ${path}: ${reason}`, { cause });
  let result: ResultFile | RunsFile;
  try {
    result = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw refuse(cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (result?.schema === 2 && result.runs?.length > 0) return result.runs;
  if (result?.schema !== 1) throw refuse(`schema must be 1, got ${result?.schema}`);
  return [result];
}

/** Reads a result file, several runs as one: see {@linkcode mergeRuns}. */
export async function readResultFile(path: string): Promise<ResultFile> {
  const runs = await readRuns(path);
  return runs.length === 1 ? runs[0]! : mergeRuns(runs);
}
