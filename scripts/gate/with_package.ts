import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmCommand } from "./npm_command.ts";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { runProcess } from "../../runtimes/run_process.ts";

const rootPath = fileURLToPath(new URL("../../", import.meta.url));

/** Runs one command in a folder, and gives what it says; throws that if it fails. */
type RunCommand = (what: string, cwd: string, command: readonly string[]) => Promise<string>;

/** A project with nothing in it but the library, as npm would install it. */
export interface PackageProject {
  readonly folder: string;
  readonly run: RunCommand;
  /** The executable. */
  readonly deno: string;
  /** Aborts when the check is to end. */
  readonly signal: AbortSignal;
}

/** Packs the library as npm's tarball and installs it, without a network. */
async function installPackage({ folder, deno, run }: PackageProject): Promise<void> {
  await run("scripts/pack.ts", rootPath, [deno, "run", "--allow-all", "scripts/pack.ts"]);
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const name = await run("npm pack", rootPath, [...npmCommand, ...pack]);
  await rename(join(folder, name.split("\n").at(-1)!), join(folder, "streams.tgz"));
  await writeFile(join(folder, "package.json"), `{ "private": true, "type": "module" }\n`);
  // Offline: the library has no dependency that would have to be fetched.
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm install", folder, [...npmCommand, ...install, "./streams.tgz"]);
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
