import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmCommand } from "./package_faces.ts";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { runProcess } from "../../runtimes/run_process.ts";

const rootPath = fileURLToPath(new URL("../../", import.meta.url));

/** Runs one command in a folder, and gives what it says; throws that if it fails. */
type RunCommand = (what: string, cwd: string, command: readonly string[]) => Promise<string>;

/** A project with nothing in it but the library and its commands, as npm would install them. */
export interface PackageProject {
  readonly folder: string;
  readonly run: RunCommand;
  /** The executable. */
  readonly deno: string;
  /** Aborts when the check is to end. */
  readonly signal: AbortSignal;
}

/** `streams.tgz` of `hosepipe-streams-0.1.0.tgz`. */
const nameOf = (tarball: string) => tarball.replace(/^hosepipe-(\w+)-.*/, "$1.tgz");

/** Packs the library and its commands as npm's tarballs and installs them, without a network. */
async function installPackage({ folder, deno, run }: PackageProject): Promise<void> {
  await run("scripts/pack.ts", rootPath, [deno, "run", "--allow-all", "scripts/pack.ts"]);
  const pack = ["pack", "--silent", "--pack-destination", folder, "./dist/streams", "./dist/cli"];
  const said = await run("npm pack", rootPath, [...npmCommand, ...pack]);
  const names = said.split("\n").filter((name) => name.endsWith(".tgz"));
  for (const name of names) await rename(join(folder, name), join(folder, nameOf(name)));
  await writeFile(join(folder, "package.json"), `{ "private": true, "type": "module" }\n`);
  // Offline: neither has a dependency that would have to be fetched.
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm install", folder, [...npmCommand, ...install, "./streams.tgz", "./cli.tgz"]);
}

/** Gives `use` a new project in a temporary folder, and takes it away. */
export async function withPackage<R>(
  signal: AbortSignal,
  use: (project: PackageProject) => Promise<R>,
): Promise<R> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-package-"));
  const run: RunCommand = async (what, cwd, [command, ...args]) => {
    const env = { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" };
    const { code, output } = await runProcess(command!, args, { cwd, env, signal });
    if (code !== 0) throw new Error(`${what} failed:\n${output.trimEnd()}`);
    return output.trim();
  };
  try {
    const project = { folder, run, signal, deno: (await findRuntime("deno")).executable };
    await installPackage(project);
    return await use(project);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
