import process from "node:process";
import { setFlagsFromString } from "node:v8";

/**
 * Has Node keep its young generation as small as it begins: what a stream drops is collected as well
 * in one of 2 MiB, which else grows to 64. Does nothing elsewhere: Bun has no V8, and Deno's takes such flags
 * only at its start, from the task in `deno.json`.
 */
export function keepHeapSmall(): void {
  if (process.versions.deno !== undefined || process.versions.bun !== undefined) return;
  setFlagsFromString("--semi-space-growth-factor=1");
}
