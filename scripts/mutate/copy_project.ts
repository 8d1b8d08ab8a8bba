import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

/**
 * Copies what git knows or would add, as it is now, into a new temporary folder, with a link to the packages; of a
 * folder that is such a copy, all of it.
 */
export async function copyProject(root: URL): Promise<URL> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-mutate-")));
  const copy = pathToFileURL(`${folder}/`);
  if (!existsSync(new URL(".git", root))) {
    await cp(root, copy, { recursive: true, verbatimSymlinks: true });
    return copy;
  }
  const { stdout } = await promisify(execFile)(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
    { cwd: root, maxBuffer: 64 * 2 ** 20 },
  );
  for (const path of stdout.split("\0").filter(Boolean)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await cp(new URL(path, root), target).catch((error) => {
      // Git still lists what was removed.
      if (error.code !== "ENOENT") throw error;
    });
  }
  const packages = fileURLToPath(new URL("node_modules", root));
  await symlink(packages, join(folder, "node_modules"), "junction");
  return copy;
}
