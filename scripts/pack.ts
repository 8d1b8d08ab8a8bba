import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleCommands } from "./pack/bundle_commands.ts";
import { bundleExports } from "./pack/bundle_exports.ts";
import { parseCommandLine } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { findRuntime } from "../runtimes/find_runtime.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const execute = promisify(execFile);

/** The manifest of this project. */
interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly repository: { readonly type: string; readonly url: string };
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

async function writeManifest(folder: string, manifest: object): Promise<void> {
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Builds `@hosepipe/streams` as npm is given it: JavaScript and types in `dist/`, and a manifest of what its users need. */
async function buildLibrary(folder: string, whole: Manifest, signal: AbortSignal): Promise<void> {
  const { executable } = await findRuntime("deno");
  const dist = join(folder, "dist");
  await mkdir(dist, { recursive: true });
  const tarball = join(folder, "streams.tgz");
  const flags = ["--allow-dirty", "--output", tarball];
  await execute(executable, ["pack", ...flags], { cwd: root, signal });
  await execute("tar", ["-xzf", tarball, "-C", dist, "--strip-components=1"], { signal });
  await rm(tarball);
  for (const name of ["README.md", "LICENSE", "CHANGELOG.md"]) {
    await rename(join(dist, name), join(folder, name));
  }
  await copyFile(join(root, "llms.txt"), join(folder, "llms.txt"));
  const entries = Object.values(whole.exports).flatMap((target) =>
    typeof target === "string" ? [] : [target.default.replace("./dist/", "")]
  );
  await rm(join(dist, "package.json"));
  await bundleExports(dist, entries);
  await writeManifest(folder, {
    ...whole,
    private: undefined,
    scripts: undefined,
    devDependencies: undefined,
  });
}

/** Builds `@hosepipe/cli`: its commands in `dist/`; clients of databases and brokers are the user's own. */
async function buildCommands(folder: string, whole: Manifest): Promise<void> {
  const clients = await bundleCommands(join(folder, "dist"), root);
  await copyFile(join(root, "cli/README.md"), join(folder, "README.md"));
  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
  const { version, license, repository, devDependencies } = whole;
  await writeManifest(folder, {
    name: "@hosepipe/cli",
    version,
    description: "Jobs on streams: serve files, export and load tables, consume queues.",
    license,
    repository: { ...repository, directory: "cli" },
    type: "module",
    engines: { node: ">=22.13" },
    bin: { hosepipe: "./dist/main.js" },
    peerDependencies: Object.fromEntries(
      clients.map((name) => [name, `^${devDependencies[name]}`]),
    ),
    peerDependenciesMeta: Object.fromEntries(clients.map((name) => [name, { optional: true }])),
  });
}

await runCommand(async (args, signal) => {
  parseCommandLine(args, {
    command: "deno run -A scripts/pack.ts",
    about:
      "Builds what npm is given: the library into dist/streams, the commands into dist/cli.\n" +
      "npm run packages does so, and packs both.",
    flags: {},
    examples: ["deno run -A scripts/pack.ts", "npm run packages"],
  });
  const whole = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const dist = join(root, "dist");
  await rm(dist, { recursive: true, force: true });
  await buildLibrary(join(dist, "streams"), whole, signal);
  await buildCommands(join(dist, "cli"), whole);
});
