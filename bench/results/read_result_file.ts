import { readFile } from "node:fs/promises";
import { mergeRuns } from "./losses.ts";
import type { ResultFile, RunsFile } from "./result.ts";

/** Shows what a terminal would obey; a failure's text may have lines. */
function escapeControls(key: string, value: unknown): unknown {
  const escape = (text: string) =>
    text.replace(
      /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
      (character) =>
        key === "error" && character === "\n"
          ? character
          : `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`,
    );
  if (typeof value === "string") return escape(value);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [escape(name), one]));
}

function isRow(row: unknown): boolean {
  if (row === null || typeof row !== "object") return false;
  const { workload, contestant, runtime, params, error, samples } = row as Record<string, unknown>;
  if ([workload, contestant, runtime].some((name) => typeof name !== "string")) return false;
  if (params === null || typeof params !== "object") return false;
  if (error !== undefined) return typeof error === "string";
  return Array.isArray(samples) && samples.length > 0 && samples.every(Number.isFinite);
}

/** What is wrong with a run, in words. */
function faultOf(run: ResultFile): string | undefined {
  if (!Array.isArray(run?.rows)) return "it has no rows";
  const index = run.rows.findIndex((row) => !isRow(row));
  return index === -1 ? undefined : `row ${index + 1} is malformed`;
}

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
    result = JSON.parse(await readFile(path, "utf8"), escapeControls);
  } catch (cause) {
    throw refuse(cause instanceof Error ? cause.message : String(cause), cause);
  }
  const isMany = result?.schema === 2 && Array.isArray(result.runs) && result.runs.length > 0;
  if (!isMany && result?.schema !== 1) {
    throw refuse(`schema must be 1, got ${(result as { schema?: unknown } | null)?.schema}`);
  }
  const runs = isMany ? (result as RunsFile).runs : [result as ResultFile];
  const fault = runs.map(faultOf).find((one) => one !== undefined);
  if (fault !== undefined) throw refuse(fault);
  return runs;
}

/** Reads a result file, several runs as one: see {@linkcode mergeRuns}. */
export async function readResultFile(path: string): Promise<ResultFile> {
  const runs = await readRuns(path);
  return runs.length === 1 ? runs[0]! : mergeRuns(runs);
}
