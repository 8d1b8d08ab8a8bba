import { existsSync, readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { QueueKind } from "./fault_place.ts";

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

/** The runs that a file has, a line of JSON each. */
export function readFaultRuns(path: string | URL): FaultRun[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as FaultRun);
}

/** Adds a run to a file. */
export async function addFaultRun(path: string, run: FaultRun): Promise<void> {
  await appendFile(path, `${JSON.stringify(run)}\n`);
}
