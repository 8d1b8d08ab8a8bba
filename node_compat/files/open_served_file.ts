import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import process from "node:process";
import { fileFacts } from "./file_facts.ts";
import { openDenoFile } from "./open_deno_file.ts";
import { openFile } from "./open_file.ts";
import { ServedFile } from "./served_file.ts";

// A link put in the file's place must not be followed, nor a pipe's other end be waited for; Windows has neither flag.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The errors of a path that leads to no file anybody may read. */
const absent = new Set(
  ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EACCES", "EPERM", "EISDIR", "ENXIO", "EINVAL"],
);

function isInside(root: string, path: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Where the opened file really is: somebody may have moved a folder while we were looking. */
async function isHandleInside(handle: FileHandle, path: string, root: string): Promise<boolean> {
  if (process.platform === "linux") {
    const location = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (location !== undefined) return isInside(root, location);
  }
  const location = await realpath(path);
  const [there, here] = await Promise.all([
    stat(location, { bigint: true }),
    handle.stat({ bigint: true }),
  ]);
  return isInside(root, location) && there.ino === here.ino && there.dev === here.dev;
}

async function openInside(root: string, names: readonly string[]): Promise<ServedFile | undefined> {
  const realRoot = await realpath(root);
  const path = await realpath(join(realRoot, ...names));
  if (!isInside(realRoot, path)) return undefined;
  // What is no file is not even opened: opening some devices does something.
  if (!(await stat(path)).isFile()) return undefined;
  const handle = await open(path, flags);
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.isFile() && await isHandleInside(handle, path, realRoot)) {
      const facts = fileFacts(stats);
      const denoFile = "Deno" in globalThis ? await openDenoFile(handle, facts) : undefined;
      return new ServedFile(denoFile ?? openFile(handle, facts), facts);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
}

/**
 * Opens the file that `names` lead to from `root`. Links may be followed as long as they stay inside.
 *
 * @returns `undefined` if there is no such file, it is not a regular one, or it lies outside.
 */
export async function openServedFile(
  root: string,
  names: readonly string[],
): Promise<ServedFile | undefined> {
  try {
    return await openInside(root, names);
  } catch (error) {
    if (absent.has((error as { code?: string }).code ?? "")) return undefined;
    throw error;
  }
}
