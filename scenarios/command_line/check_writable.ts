import { access, constants, lstat, open, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { checkNoDescriptor } from "./run_command.ts";
import { resolvePath, UsageError } from "./parse_command_line.ts";
import { fstatSync, realpathSync, type Stats } from "node:fs";
import { resolveLinks } from "../extract/resolve_links.ts";

/** Where a path really leads, as far as there is something. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}

/** What a command also has to do with: a path or an address, `-` for a standard stream, by what it is to people. */
type Others = Readonly<Record<string, string | undefined>>;

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

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

const reasons: Record<string, string> = {
  ENOENT: "no such folder",
  ENOTDIR: "no such folder",
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "read-only file system",
};

/**
 * Checks, before any work is done, that a file can be put at a path; returns its real, absolute path.
 *
 * @param others What it must not be, such as the file that is read.
 * @throws {UsageError} If it cannot, with the reason.
 */
export async function checkWritable(
  flag: string,
  path: string,
  others: Others = {},
): Promise<string> {
  const refuse = (reason: string) => new UsageError(`Cannot write ${flag} ${path}: ${reason}`);
  let target = resolvePath(path);
  await checkNoDescriptor(flag, target);
  try {
    target = await realpath(target);
    const stats = await lstat(target);
    if (stats.isDirectory()) throw refuse("it is a directory");
    if (!stats.isFile()) throw refuse("it is not a regular file");
    await access(target, constants.W_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (codeOf(error) !== "ENOENT") throw refuse(reasons[codeOf(error)!] ?? String(error));
  }
  await checkApart(flag, target, others);
  // What counts is whether a file can be made beside it; asking for permissions would miss much.
  const probe = `${target}.${process.pid}.tmp`;
  try {
    await (await open(probe, "wx")).close();
    await rm(probe);
  } catch (error) {
    throw refuse(reasons[codeOf(error)!] ?? `${dirname(target)}: ${codeOf(error) ?? error}`);
  }
  return target;
}
