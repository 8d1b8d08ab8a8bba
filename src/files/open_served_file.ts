import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { fileFacts, fileIdentity, fileState } from "./file_facts.ts";
import { openDenoFile } from "./open_deno_file.ts";
import { openFile, ServedFile } from "./served_file.ts";

/** Whether a path of these names is hidden: one of them begins with a dot, but for `.well-known` at the root, which is public. */
export function isHidden(names: readonly string[]): boolean {
  return names.some((name, index) =>
    name.startsWith(".") && !(index === 0 && name === ".well-known")
  );
}

// A link put in the file's place must not be followed, nor a pipe's other end be waited for. Windows has neither flag:
// undefined counts as 0.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The errors of a path that leads to no readable file. */
const absent = new Set<string | undefined>(
  ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EACCES", "EPERM", "EISDIR", "ENXIO", "EINVAL"],
);

/** The clock that files are stamped by ticks no slower: a write after this shows in a file's time. */
const slowestTickMs = 20;

/** What a path led to: a file, a folder, or nothing that may be served. */
export type Opened = ServedFile | "folder" | undefined;

/** Whether `path` is `root` or lies below it, and is not hidden there; both are real paths. */
export function isInside(root: string, path: string, showsDotfiles: boolean): boolean {
  if (path === root) return true;
  const folder = root.endsWith(sep) ? root : root + sep;
  return path.startsWith(folder) &&
    (showsDotfiles || !isHidden(path.slice(folder.length).split(sep)));
}

/** Where the opened file really is: a folder may have moved meanwhile. */
async function isHandleInside(
  handle: FileHandle,
  path: string,
  root: string,
  showsDotfiles: boolean,
): Promise<boolean> {
  if (process.platform === "linux") {
    const location = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (location !== undefined) return isInside(root, location, showsDotfiles);
  }
  const location = await realpath(path);
  const [there, here] = await Promise.all([
    stat(location, { bigint: true }),
    handle.stat({ bigint: true }),
  ]);
  return isInside(root, location, showsDotfiles) && there.ino === here.ino &&
    there.dev === here.dev;
}

/** Takes a file as it is now for what is promised, once a later write is sure to show. */
async function serve(handle: FileHandle): Promise<ServedFile | undefined> {
  let seenAtMs = Date.now();
  let stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) return undefined;
  const ageMs = Date.now() - fileFacts(stats).modifiedMs;
  if (ageMs >= 0 && ageMs < slowestTickMs) {
    await setTimeout(slowestTickMs - ageMs);
    seenAtMs = Date.now();
    stats = await handle.stat({ bigint: true });
  }
  const facts = fileFacts(stats);
  const file = "Deno" in globalThis ? await openDenoFile(handle, facts) : undefined;
  if (file === undefined) {
    return new ServedFile(openFile(handle), facts, fileState(stats), fileIdentity(stats, seenAtMs));
  }
  return new ServedFile(file, facts, { size: facts.size, modified: facts.modifiedMs });
}

async function openPath(
  path: string,
  root: string | undefined,
  showsDotfiles: boolean,
): Promise<Opened> {
  const stats = await stat(path);
  if (stats.isDirectory()) return "folder";
  // What is no file is not even opened: opening some devices does something.
  if (!stats.isFile()) return undefined;
  const handle = await open(path, flags);
  try {
    if (root === undefined || await isHandleInside(handle, path, root, showsDotfiles)) {
      const served = await serve(handle);
      if (served !== undefined) return served;
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
}

/** What `look` finds; a path that leads to nothing is not an error. */
export async function unlessAbsent<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (absent.has((error as { code?: string }).code)) return undefined;
    throw error;
  }
}

/**
 * Opens the file that `names` lead to from `root`. Links are followed as long as they stay inside.
 *
 * @param showsDotfiles Whether a link may lead to what is hidden.
 * @returns `undefined` if there is no such file, it is not a regular one, or it lies outside.
 */
export function openServedFile(
  root: string,
  names: readonly string[],
  showsDotfiles = true,
): Promise<Opened> {
  return unlessAbsent(async () => {
    const realRoot = await realpath(root);
    const path = await realpath(join(realRoot, ...names));
    return isInside(realRoot, path, showsDotfiles)
      ? await openPath(path, realRoot, showsDotfiles)
      : undefined;
  });
}

/** Opens the file at a path that no client has chosen. */
export async function openChosenFile(path: string): Promise<ServedFile | undefined> {
  const opened = await unlessAbsent(async () =>
    await openPath(await realpath(path), undefined, true)
  );
  return opened === "folder" ? undefined : opened;
}
