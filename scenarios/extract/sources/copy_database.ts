import { constants, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Copies an SQLite file that is being read, so that it is not written: without a write-ahead log a reader locks out
 * writers for as long as it reads, and this one is not to.
 *
 * @returns Where the copy is, and the folder to be taken away with it.
 */
export async function copyDatabase(path: string): Promise<{ path: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-extract-"));
  const copy = join(folder, "snapshot.sqlite");
  try {
    // Where the file system can, without copying a byte.
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    return { path: copy, folder };
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`cannot copy it to ${folder}: ${(cause as Error).message}`, { cause });
  }
}
