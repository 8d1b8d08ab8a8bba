import type { RuntimeName } from "../../../runtimes/current_runtime.ts";
import type { QueueKind } from "./fault_place.ts";
import { readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { resolvePath } from "../../command_line/parse_command_line.ts";

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

/** A run under one fault, and what came of it. */
export interface FaultRun {
  readonly fault: string;
  readonly queue: QueueKind;
  readonly runtimes: readonly RuntimeName[];
  readonly startedAt: string;
  readonly elapsedMs: number;
  readonly messages: number;
  /** Workers that were killed. */
  readonly kills: number;
  /** How often other harm was done. */
  readonly harms: number;
  readonly repeats: number;
  readonly lost: number;
  readonly doubled: number;
  /** Dead letters: none of the messages deserves it. */
  readonly dead: number;
  /** What is wrong besides, in words. */
  readonly problems: readonly string[];
}
