import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { npmCommand } from "./npm_command.ts";
import type { PackageProject } from "./with_package.ts";

const versions = ["vitest@4.1.12", "jest@30.5.2", "fast-check@4.10.2"];

/**
 * Installs Vitest, Jest and fast-check from npm into the user's cache, once for these versions; returns the folder of
 * the modules.
 */
export async function installedRunners(run: PackageProject["run"]): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "hosepipe");
  // Binaries of one platform are among them.
  const kind = [process.platform, process.arch, ...versions].join("-");
  const folder = join(cache, `runners-${kind.replaceAll("@", "-")}`);
  if (!existsSync(folder)) {
    // Beside its place and then moved: what is installed halfway is never used.
    const half = `${folder}.${process.pid}`;
    try {
      await mkdir(half, { recursive: true });
      await writeFile(join(half, "package.json"), `{ "private": true }\n`);
      const install = ["install", "--prefer-offline", "--no-audit", "--no-fund"];
      const command = [
        ...npmCommand,
        ...install,
        "--ignore-scripts",
        "--no-package-lock",
        ...versions,
      ];
      await run("npm install of vitest and jest", half, command);
      await rename(half, folder).catch((error) => {
        // Another process may have been first.
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(half, { recursive: true, force: true });
    }
  }
  return join(folder, "node_modules");
}
