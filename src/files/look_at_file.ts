import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { FileFacts, FileIdentity } from "./file_facts.ts";

/** What a look at a path shows of the file there. */
export interface FileLook extends FileFacts, FileIdentity {
  readonly isFile: boolean;
}

/** Deno tells the time of a change in whole seconds; elsewhere it ticks no slower than that. */
const tickMs = "Deno" in globalThis ? 1000 : 0;

/** A change shows in the time of a file whose last change is that old. */
export const changeShowsMs: number = tickMs + 20;

function lookOf(stats: Stats): FileLook {
  return {
    isFile: stats.isFile(),
    size: stats.size,
    modifiedMs: Math.floor(stats.mtimeMs),
    changedMs: Math.floor(stats.ctimeMs),
    device: stats.dev,
    inode: stats.ino,
  };
}

/** Deno's own way costs less than half of its `node:fs`. */
function lookInDeno(path: string): FileLook {
  const { isFile, size, mtime, ctime, dev, ino } = Deno.statSync(path);
  return {
    isFile,
    size,
    modifiedMs: mtime?.getTime() ?? NaN,
    changedMs: ctime?.getTime() ?? NaN,
    device: dev,
    inode: ino ?? NaN,
  };
}

/** Looks at the file that a path leads to, at once; `undefined` if that fails, whatever the reason. */
export function lookAtFileSync(path: string): FileLook | undefined {
  try {
    if ("Deno" in globalThis) return lookInDeno(path);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && lookOf(stats);
  } catch {
    return undefined;
  }
}

/** The same, without blocking. */
export async function lookAtFile(path: string): Promise<FileLook | undefined> {
  try {
    return lookOf(await stat(path));
  } catch {
    return undefined;
  }
}

/** How much two clocks' readings of one time may differ, which are rounded in different ways. */
const roundingMs = 1;

/** Whether two looks have seen the same file in the same state, as far as a millisecond tells. */
export function isSameFile(
  one: FileFacts & FileIdentity,
  other: FileFacts & FileIdentity,
): boolean {
  return one.size === other.size && one.inode === other.inode && one.device === other.device &&
    Math.abs(one.modifiedMs - other.modifiedMs) <= roundingMs &&
    Math.abs(one.changedMs - other.changedMs) <= roundingMs;
}
