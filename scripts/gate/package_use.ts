import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkPackage as checkTypes, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { startNats } from "../../bench/consume/nats_server.ts";
import { CaseRefusal } from "../../bench/measure/case_refusal.ts";
import { listFiles } from "./list_files.ts";
import { checkRunners } from "./package_runners.ts";
import { packageProblems } from "./package_problems.ts";
import type { PackageProject } from "./with_package.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import { findRuntimes } from "../../runtimes/find_runtime.ts";

const root = new URL("../../", import.meta.url);
const rootPath = fileURLToPath(root);
/** The oldest that `engines` in package.json allows. */
const oldestNode = "node@22";
const said = "0: 2\n1: 4\n2: 6\n3 written";
const saidOfQueue = "1 2 5 6; 0 waiting, 0 leased, 1 dead: x is no number";
/** The user's own client, which the library does not bring. */
const clients = "node_modules/@nats-io";
const saidWithoutNats =
  "nats: Cannot create natsQueue: client must be a JetStream client, got an object";

async function readFiles(folder: URL): Promise<Map<string, string>> {
  const prefix = "node_modules/@hosepipe/streams";
  const paths = await listFiles(folder, prefix, "");
  const texts = await Promise.all(paths.map((path) => readFile(new URL(path, folder), "utf8")));
  return new Map(paths.map((path, index) => [path.slice(prefix.length + 1), texts[index]!]));
}

/** What publint and arethetypeswrong find, of which nothing may be left; neither needs a network. */
async function checkAsPublished(folder: string): Promise<void> {
  const pkgDir = join(folder, "node_modules/@hosepipe/streams");
  const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
  const found = messages.map((message) => `publint: ${formatMessage(message, pkg)}`);
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

/**
 * Runs programs that have the library, asks publint and arethetypeswrong, and runs tests with the test kit in five
 * runners; returns how many files the library has.
 */
export async function checkPackageUse(project: PackageProject): Promise<number> {
  const { folder, run } = project;

  await cp(new URL("tests/package/project/", root), folder, { recursive: true });

  const files = await readFiles(pathToFileURL(`${folder}/`));
  const problems = packageProblems(files, [root.href, rootPath]);
  if (problems.length > 0) throw new Error(`the package is not in order:\n${problems.join("\n")}`);
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
  }
  await checkQueue(folder, run, programs);
  await checkRunners(project);
  return files.size;
}
