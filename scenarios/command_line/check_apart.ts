import { fstatSync, type Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { resolveLinks } from "../extract/resolve_links.ts";
import { UsageError } from "./usage_error.ts";

/** What a command also has to do with: a path or an address, `-` for a standard stream, by what it is to people. */
export type Others = Readonly<Record<string, string | undefined>>;

/** An SQLite file is what these hold together. */
const besides = ["", "-wal", "-journal", "-shm"];

/** Where a path is, whatever links its folder is reached by. */
async function placeOf(path: string): Promise<string> {
  return join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
}

async function statsOf(path: string, descriptor: number): Promise<Stats | undefined> {
  try {
    return path === "-" ? fstatSync(descriptor) : await stat(path);
  } catch {
    return undefined;
  }
}

/** Whether a file to be written is the other one, or a part of it, there already or about to be. */
async function isSame(path: string, other: string): Promise<boolean> {
  const [, database] = /^sqlite:(.+)$/s.exec(other) ?? [];
  if (database === undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(other)) return false;
  const file = database ?? other;
  const [own, real] = [
    path === "-" ? "-" : await resolveLinks(path).catch(() => path),
    file === "-" ? "-" : await resolveLinks(file).catch(() => file),
  ];
  const stats = await statsOf(own, 1);
  for (const end of database === undefined ? [""] : besides) {
    const theirs = await statsOf(`${real}${end}`, 0);
    const isOne = theirs === undefined
      ? own !== "-" && await placeOf(own) === await placeOf(`${real}${end}`)
      : theirs.isFile() && stats?.dev === theirs.dev && stats.ino === theirs.ino;
    if (isOne) return true;
  }
  return false;
}

/**
 * Checks that a file to be written, `-` for standard output, is none of the others: by its path, a link or a second
 * name, nor the log or journal of one that is an SQLite database.
 *
 * @throws {UsageError} If it is one, with which.
 */
export async function checkApart(flag: string, path: string, others: Others): Promise<void> {
  for (const [what, other] of Object.entries(others)) {
    if (other !== undefined && await isSame(path, other)) {
      throw new UsageError(`Cannot write ${flag} ${path}: it is ${what}`);
    }
  }
}
