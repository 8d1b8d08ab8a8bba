import process from "node:process";
import { setFlagsFromString } from "node:v8";

/**
 * Has Node keep its heap as small as a stream needs: the young generation as it begins, for what a stream drops is
 * collected as well in one of 2 MiB, which otherwise grows to 64; and of the old one, where what waits a while ends up,
 * a tenth more garbage than there is in use, not several times that. Does nothing elsewhere: Bun has no V8, and Deno's
 * takes such flags only at its start, from the task in `deno.json`.
 */
export function keepHeapSmall(): void {
  if (process.versions.deno !== undefined || process.versions.bun !== undefined) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=10");
}
