import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkPackage as checkTypes, createPackageFromTarballData } from "@arethetypeswrong/core";
import { formatMessage } from "publint/utils";
import { publint } from "publint";
import { startNats } from "../../bench/consume/nats_server.ts";
import { CaseRefusal } from "../../bench/measure/workload.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import { findRuntime, findRuntimes } from "../../runtimes/find_runtime.ts";
import { listFiles } from "./read_project.ts";
import { filesWithExamples } from "../test/plan_tests.ts";
import { findExamples } from "../test/examples/find_examples.ts";
import { npmCommand } from "./package_faces.ts";
import type { PackageProject } from "./with_package.ts";

const versions = ["vitest@4.1.12", "jest@30.5.2", "fast-check@4.10.2"];

/**
 * Installs Vitest, Jest and fast-check from npm into the user's cache, once for these versions; returns the folder of
 * the modules.
 */
async function installedRunners(run: PackageProject["run"]): Promise<string> {
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

/** What a runner says of how many tests passed: all that there are. */
const passed = /\b10 pass(ed)?\b|pass 10\b/;

/** Runs the tests of the project's folder `runners`, which use the test kit, in each runner that it names. */
async function checkRunners({ folder, run, deno }: PackageProject): Promise<void> {
  const [node, bun] = [
    (await findRuntime("node")).executable,
    (await findRuntime("bun")).executable,
  ];
  const modules = join("runners", "node_modules");
  const installed = await installedRunners(run);
  await symlink(installed, join(folder, modules), "junction");
  // Deno looks for the types that they bring beside package.json.
  await symlink(join(installed, "@types"), join(folder, "node_modules/@types"), "junction");
  const files = (name: string) => [`./runners/first_with_${name}.js`, `./runners/with_${name}.js`];
  const jest = [node, "--experimental-vm-modules", join(modules, "jest", "bin", "jest.js")];
  const programs: Readonly<Record<string, readonly string[]>> = {
    "node --test": [node, "--test", ...files("node")],
    "deno test": [deno, "test", "-A", "--node-modules-dir=manual", ...files("deno")],
    "bun test": [bun, "test", ...files("bun")],
    vitest: [node, join(modules, "vitest", "vitest.mjs"), "run", "--root", "runners"],
    jest: [...jest, "--rootDir", "runners", "--testMatch", "**/*with_jest.js"],
  };
  for (const [name, program] of Object.entries(programs)) {
    const output = await run(`the test kit in ${name}`, folder, program);
    if (!passed.test(output)) throw new Error(`the test kit in ${name} said otherwise:\n${output}`);
  }
}

const welcome =
  /^dist\/.*\.(?:js|d\.ts)$|^(?:package\.json|LICENSE|(?:README|CHANGELOG)\.md|llms\.txt)$/;

/** What each package must have, and how many bytes all its files may be. */
const packages = {
  streams: {
    needed: ["LICENSE", "README.md", "CHANGELOG.md", "llms.txt", "dist/mod.js", "dist/mod.d.ts"],
    mostBytes: 1_750_000,
  },
  cli: { needed: ["LICENSE", "README.md", "dist/main.js"], mostBytes: 1_250_000 },
} as const;

/**
 * Finds what does not belong into a package that is shipped: files that have no use there, what only its development
 * needs, and texts that name one of `privateFolders`.
 */
function packageProblems(
  name: keyof typeof packages,
  files: ReadonlyMap<string, string>,
  privateFolders: readonly string[],
): string[] {
  const { needed, mostBytes } = packages[name];
  const problems: string[] = needed.filter((path) => !files.has(path))
    .map((path) => `${path}: is missing`);
  let bytes = 0;
  for (const [path, text] of files) {
    bytes += text.length;
    if (!welcome.test(path)) {
      problems.push(`${path}: no module reaches it; exclude it in deno.json's publish`);
    }
    const folder = privateFolders.find((folder) => text.includes(folder));
    if (folder !== undefined) problems.push(`${path}: names ${folder}, a folder of this machine`);
  }
  if (bytes > mostBytes) problems.push(`${bytes} bytes are more than ${mostBytes}`);
  const manifest = JSON.parse(files.get("package.json") ?? "{}");
  for (const key of ["private", "scripts", "dependencies", "devDependencies"]) {
    if (key in manifest) problems.push(`package.json: has ${key}`);
  }
  return problems.map((problem) => `@hosepipe/${name}, ${problem}`);
}

const root = new URL("../../", import.meta.url);
const rootPath = fileURLToPath(root);
/** The oldest that `engines` in package.json allows. */
const oldestNode = "node@22";
const said = "0: 2\n1: 4\n2: 6\n3 written";
const saidOfQueue = "1 2 5 6; 0 waiting, 0 leased, 1 dead: x is no number";
const saidByCommands =
  /rows 2 = loaded 2 \+ dead 0: orders\ntrue\n20 sent = 20 stored \+ 0 dead\ntrue\ntrue\ntrue(?:\nThe commands of hosepipe.*)?$/;
/** The user's own client, which the library does not bring. */
const clients = "node_modules/@nats-io";
const saidWithoutNats =
  "nats: Cannot create natsQueue: client must be a JetStream client, got an object";

async function readFiles(folder: URL, name: string): Promise<Map<string, string>> {
  const prefix = `node_modules/@hosepipe/${name}`;
  const paths = await listFiles(folder, prefix, "");
  const texts = await Promise.all(paths.map((path) => readFile(new URL(path, folder), "utf8")));
  return new Map(paths.map((path, index) => [path.slice(prefix.length + 1), texts[index]!]));
}

/** What publint and arethetypeswrong find, of which nothing may be left; neither needs a network. */
async function checkAsPublished(folder: string): Promise<void> {
  const found: string[] = [];
  for (const name of Object.keys(packages)) {
    const pkgDir = join(folder, "node_modules/@hosepipe", name);
    const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
    found.push(...messages.map((message) => `publint: ${name}: ${formatMessage(message, pkg)}`));
  }
  const tarball = createPackageFromTarballData(await readFile(join(folder, "streams.tgz")));
  const { types, ...checked } = await checkTypes(tarball);
  if (types === false) found.push("arethetypeswrong: there are no types");
  // Only ESM: what requires it, or looks for a file beside package.json, does not count.
  const kinds = ["node16-esm", "bundler"];
  for (const problem of "problems" in checked ? checked.problems : []) {
    if ("resolutionKind" in problem && !kinds.includes(problem.resolutionKind)) continue;
    if (problem.kind === "CJSResolvesToESM") continue;
    found.push(`arethetypeswrong: ${JSON.stringify(problem)}`);
  }
  if (found.length > 0) throw new Error(`the package is not fit to publish:\n${found.join("\n")}`);
}

/** Takes messages through both queues in each runtime; with NATS as far as there is a server here. */
async function checkQueue(
  folder: string,
  run: PackageProject["run"],
  programs: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  await symlink(join(rootPath, clients), join(folder, clients), "junction");
  const server = await startNats(folder).catch((error) => {
    if (error instanceof CaseRefusal) return undefined;
    throw error;
  });
  if (server === undefined) console.log(`the package's queue/nats was only loaded: no nats-server`);
  try {
    const expected = server === undefined ? saidWithoutNats : `nats: ${saidOfQueue}`;
    for (const [name, program] of Object.entries(programs)) {
      const args = server === undefined ? [] : [server.servers];
      const output = await run(`queue.js in ${name}`, folder, [...program, "queue.js", ...args]);
      const lines = output.split("\n").filter((line) => /^(sqlite|nats): /.test(line));
      if (lines.join("\n") !== `sqlite: ${saidOfQueue}\n${expected}`) {
        throw new Error(`queue.js in ${name} said otherwise:\n${output}`);
      }
    }
  } finally {
    await server?.stop();
  }
}

/** What examples import beside the library. */
const peers = [
  "@aws-sdk",
  "@opentelemetry",
  "express",
  "fast-check",
  "hono",
  "kafkajs",
  "p-retry",
  "pg",
  "postgres",
  "redis",
  "ws",
];

/** Runs every program of the documentation as it stands, as one would who has installed the library. */
async function checkExamples(
  folder: string,
  run: PackageProject["run"],
  programs: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const link = (name: string) =>
    symlink(join(rootPath, "node_modules", name), join(folder, "node_modules", name), "junction");
  await Promise.all(peers.map(link));
  await mkdir(join(folder, "examples"));
  let count = 0;
  for (const path of await filesWithExamples(root)) {
    for (const { name, code } of findExamples(path, await readFile(new URL(path, root), "utf8"))) {
      const file = join(folder, "examples", `${name.replace(/\W+/g, "-")}.ts`);
      await writeFile(file, `${code}\nexport {};\n`);
      count++;
    }
  }
  // One runtime after the other: an example has a table of one name for all.
  for (const [name, program] of Object.entries(programs)) {
    const output = await run(`examples in ${name}`, folder, [...program, "run_examples.js"]);
    if (output.split("\n").at(-1) !== `${count} passed`) {
      throw new Error(`${count} examples in ${name} said otherwise:\n${output}`);
    }
  }
}

/**
 * Runs programs that have the library, the documentation's among them, asks publint and arethetypeswrong, and runs tests
 * with the test kit in five runners; returns how many files the library and its commands have.
 */
export async function checkPackageUse(project: PackageProject): Promise<number> {
  const { folder, run } = project;

  await cp(new URL("tests/package/project/", root), folder, { recursive: true });

  const problems: string[] = [];
  let count = 0;
  for (const name of ["streams", "cli"] as const) {
    const files = await readFiles(pathToFileURL(`${folder}/`), name);
    problems.push(...packageProblems(name, files, [root.href, rootPath]));
    count += files.size;
  }
  if (problems.length > 0) {
    throw new Error(`the packages are not in order:\n${problems.join("\n")}`);
  }
  await checkAsPublished(folder);
  const oldest = await run(`${oldestNode} in npx`, folder, [
    ...["npx", "-y", "-p", oldestNode, "node", "--print", "process.execPath"],
  ]);
  const programs = {
    [oldestNode]: [oldest.split("\n").at(-1)!],
    ...Object.fromEntries((await findRuntimes()).map(({ name, executable }) => [
      name,
      [executable, ...descriptors[name].plainArguments],
    ])),
  };
  for (const [name, program] of Object.entries(programs)) {
    const output = await run(`main.js in ${name}`, folder, [...program, "main.js"]);
    if (output !== said) throw new Error(`main.js in ${name} said otherwise:\n${output}`);
    const commands = await run(`commands.js in ${name}`, folder, [...program, "commands.js"]);
    if (!saidByCommands.test(commands)) {
      throw new Error(`commands.js in ${name} said otherwise:\n${commands}`);
    }
  }
  // `await using` is newer than the oldest Node.
  const { [oldestNode]: _, ...newest } = programs;
  await Promise.all([
    checkExamples(folder, run, newest),
    checkQueue(folder, run, programs).then(() => checkRunners(project)),
  ]);
  return count;
}
