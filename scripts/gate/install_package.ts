import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const rootPath = fileURLToPath(new URL("../../", import.meta.url));
const npm = process.platform === "win32" ? ["cmd.exe", "/d", "/c", "npm"] : ["npm"];

/** Runs one command in a folder; throws with its output if it fails. */
export type RunCommand = (what: string, cwd: string, command: readonly string[]) => Promise<string>;

/** Packs the library as npm's tarball and installs it, without a network, in a new project in `folder`. */
export async function installPackage(folder: string, deno: string, run: RunCommand): Promise<void> {
  await run("scripts/pack.ts", rootPath, [deno, "run", "--allow-all", "scripts/pack.ts"]);
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const name = await run("npm pack", rootPath, [...npm, ...pack]);
  await rename(join(folder, name.split("\n").at(-1)!), join(folder, "streams.tgz"));
  await writeFile(join(folder, "package.json"), `{ "private": true, "type": "module" }\n`);
  // Offline: the library has no dependency that would have to be fetched.
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm install", folder, [...npm, ...install, "./streams.tgz"]);
}
