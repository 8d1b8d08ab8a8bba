import { readFile } from "node:fs/promises";
import type { ResultFile } from "./result.ts";

/**
 * Reads a result file.
 *
 * @throws {Error} If there is none, or it is of another schema.
 */
export async function readResultFile(path: string): Promise<ResultFile> {
  const refuse = (reason: string, cause?: unknown) =>
    new Error(`Cannot read results ${path}: ${reason}`, { cause });
  let result: ResultFile;
  try {
    result = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw refuse(cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (result?.schema !== 1) throw refuse(`schema must be 1, got ${result?.schema}`);
  return result;
}
