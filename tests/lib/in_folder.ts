import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a temporary folder for as long as `use` takes. */
export async function inFolder<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  // The real path: a system may have its temporary folder behind a link.
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-test-")));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
