import { spawnSync } from "node:child_process";
import { statfs, truncate } from "node:fs/promises";
import { open } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { Buffer } from "node:buffer";

/** Whether a small disk can be had: root may mount one. */
export const canMount = process.platform === "linux" && process.getuid?.() === 0;

/** Makes a folder a disk of so many MiB; what it returns takes it away. */
export function mountSmallDisk(folder: string, mib: number): () => Promise<void> {
  const { status, stderr } = spawnSync(
    "mount",
    ["-t", "tmpfs", "-o", `size=${mib}m,mode=0755`, "tmpfs", folder],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`Cannot mount a small disk: ${stderr.trim()}`);
  return () => {
    // What still has a file open there must not keep it.
    spawnSync("umount", ["-l", folder]);
    return Promise.resolve();
  };
}

/** Fills what is left of a disk. */
export async function fillDisk(folder: string): Promise<void> {
  const file = await open(join(folder, "filler"), "a");
  const block = Buffer.alloc(1 << 16);
  try {
    while (true) await file.write(block);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOSPC") throw error;
  } finally {
    await file.close();
  }
  const { bavail } = await statfs(folder);
  if (bavail > 16) throw new Error(`There is still room in ${folder}`);
}

/** Gives back what `fillDisk` took. */
export async function emptyDisk(folder: string): Promise<void> {
  await truncate(join(folder, "filler"), 0);
}
