import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import process from "node:process";
import { shuffle } from "../bench/measure/shuffle.ts";
import { seededRandom } from "../scenarios/concurrency/seeded_random.ts";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";
import { describeRuntime, findRuntime, type Runtime } from "../runtimes/find_runtime.ts";
import { checkWritable } from "../scenarios/command_line/check_writable.ts";
import { parseCommandLine, UsageError } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { type Export, listExports } from "./gate/list_exports.ts";
import { readProject } from "./gate/read_project.ts";
import { listMutants, type Mutant } from "./mutate/list_mutants.ts";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { packageFaces } from "./gate/package_faces.ts";
import { runTestFile } from "./test/run_test_file.ts";

/**
 * Calls back once if a process holds more memory than it may, on Linux; a changed loop may fill the machine within
 * seconds. Returns what ends the watch.
 */
function limitMemory(pid: number, mebibytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    if (kibibytes > mebibytes * 1024) {
      clearInterval(timer);
      onExceeded();
    }
  }, 100);
  return () => clearInterval(timer);
}

/** How long tests may take beyond four times as long as unchanged: what a busy machine may add. */
const patienceMs = 15_000;
/** How much memory; the true file's need a fraction of it. */
const memoryMiB = 1536;

/** What became of a change: the test that failed, or nothing if none did. */
interface Verdict {
  readonly mutant: Mutant;
  readonly noticedBy?: string;
}

/** Where tests run, one at a time: a copy of the project, which itself is never touched. */
interface Sandbox {
  readonly runtime: Runtime;
  readonly copy: URL;
  readonly signal: AbortSignal;
}

async function passes({ runtime, copy, signal }: Sandbox, test: string, timeoutMs: number) {
  let stopWatch: (() => void) | undefined;
  try {
    const { failures } = await runTestFile(runtime, test, {
      cwd: copy,
      bail: true,
      timeoutMs,
      signal,
      onStart(pid) {
        stopWatch = limitMemory(pid, memoryMiB, () => process.kill(-pid, "SIGKILL"));
      },
    });
    return failures.length === 0;
  } finally {
    stopWatch?.();
  }
}

/** How long a file's tests take while nothing is changed; undefined if they fail. */
async function timeOf(sandbox: Sandbox, test: string): Promise<number | undefined> {
  const startedAt = performance.now();
  return await passes(sandbox, test, 600_000) ? performance.now() - startedAt : undefined;
}

/**
 * Changes a file of the copy, runs tests until one fails, and changes it back.
 *
 * @param tests What to run, in order, by how long each takes.
 */
async function tryMutant(
  sandbox: Sandbox,
  mutant: Mutant,
  tests: ReadonlyMap<string, number>,
): Promise<Verdict> {
  const file = new URL(mutant.path, sandbox.copy);
  const text = await readFile(file, "utf8");
  const { start, end, before, after } = mutant;
  if (text.slice(start, end) !== before) {
    throw new Error(`Cannot change ${mutant.path}:${mutant.line}: it is not what it was`);
  }
  await writeFile(file, text.slice(0, start) + after + text.slice(end));
  try {
    for (const [test, elapsedMs] of tests) {
      const isGood = await passes(sandbox, test, Math.ceil(patienceMs + 4 * elapsedMs));
      if (sandbox.signal.aborted) break;
      if (!isGood) return { mutant, noticedBy: test };
    }
    return { mutant };
  } finally {
    await writeFile(file, text);
  }
}

/** What an import takes by name, if that is all it takes; types are none of it. */
function importedNames(statement: ts.Statement): { specifier: string; names?: string[] }[] {
  const isImport = ts.isImportDeclaration(statement);
  if (!isImport && !ts.isExportDeclaration(statement)) return [];
  if (statement.moduleSpecifier === undefined) return [];
  const { text: specifier } = statement.moduleSpecifier as ts.StringLiteral;
  if (!isImport) return statement.isTypeOnly ? [] : [{ specifier }];
  const { importClause } = statement;
  if (importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  const bindings = importClause?.namedBindings;
  if (importClause?.name || !bindings || !ts.isNamedImports(bindings)) return [{ specifier }];
  const names = bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ name, propertyName }) => (propertyName ?? name).text);
  return [{ specifier, names }];
}

/** Which of our files each file needs when it runs. What is taken from a face by its name is taken from its home. */
function importGraph(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const known = new Map<string, Export[]>();
  const homes = new Map(
    [...packageFaces.values()].map((face) => {
      const names = listExports(face, files, known).map(({ name, path }) => [name, path] as const);
      return [face, new Map(names)];
    }),
  );
  const graph = new Map<string, string[]>();
  for (const [path, text] of files) {
    const targets = new Set<string>();
    const add = (specifier: string, taken?: readonly string[]) => {
      const own = packageFaces.get(specifier) ??
        (specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined);
      if (own === undefined) return;
      const home = homes.get(own);
      if (home === undefined || taken === undefined) targets.add(own);
      else for (const name of taken) targets.add(home.get(name) ?? own);
    };
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext);
    for (const statement of source.statements) {
      for (const { specifier, names } of importedNames(statement)) add(specifier, names);
    }
    const visit = (node: ts.Node): void => {
      const isDynamic = ts.isCallExpression(node) &&
        node.expression.kind === ts.SyntaxKind.ImportKeyword;
      const [argument] = isDynamic ? node.arguments : [];
      if (argument !== undefined && ts.isStringLiteralLike(argument)) add(argument.text);
      ts.forEachChild(node, visit);
    };
    if (text.includes("import(")) visit(source);
    graph.set(path, [...targets]);
  }
  return graph;
}

/** The test that stands where the file does: `tests/stages/map_test.ts` for `src/stages/map.ts`. */
function ownTest(path: string): string {
  return `tests/${path.replace(/^src\//, "").replace(/\.ts$/, "_test.ts")}`;
}

/** How many names two paths have in common at their beginning; one of the same name elsewhere is nearer than any. */
function nearness(one: string, other: string): number {
  const [left, right] = [one.split("/"), other.split("/")];
  let common = 0;
  while (common < left.length && left[common] === right[common]) common++;
  return common + (left.at(-1) === right.at(-1) ? 100 : 0);
}

/**
 * For each file the tests whose imports reach it, those first that stand nearest to it.
 *
 * @param files The text of each file of the project, tests and what they import, by its path.
 */
function reachingTests(
  files: ReadonlyMap<string, string>,
): Map<string, string[]> {
  const graph = importGraph(files);
  const reached = new Map<string, string[]>();
  for (const test of [...files.keys()].filter((path) => path.endsWith("_test.ts"))) {
    const seen = new Set([test]);
    for (const path of seen) for (const target of graph.get(path) ?? []) seen.add(target);
    for (const path of seen) reached.set(path, [...reached.get(path) ?? [], test]);
  }
  for (const [path, tests] of reached) {
    const own = ownTest(path);
    tests.sort((one, other) => nearness(other, own) - nearness(one, own));
  }
  return reached;
}

/** Does `work` with each of `items`, by several workers, until one says stop. */
async function share<Worker, Item>(
  workers: readonly Worker[],
  items: readonly Item[],
  work: (worker: Worker, item: Item) => Promise<boolean>,
): Promise<void> {
  let next = 0;
  await Promise.all(workers.map(async (worker) => {
    while (next < items.length && await work(worker, items[next++]!));
  }));
}

function inOneLine(text: string): string {
  const short = text.replaceAll(/\s+/g, " ");
  return short.length > 60 ? `${short.slice(0, 57)}…` : short;
}

/** Shows a change in one line, with the place first. */
function describeMutant({ path, line, column, before, after }: Mutant): string {
  return `${path}:${line}:${column}  ${inOneLine(before)}  →  ${inOneLine(after)}`;
}

/**
 * Copies what git knows or would add, as it is now, into a new temporary folder, with a link to the packages; of a
 * folder that is such a copy, all of it.
 */
async function copyProject(root: URL): Promise<URL> {
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

/**
 * Lists the changes of some files, folders or lines, by default of all that is published.
 *
 * @param files The text of each file of the project, by its path.
 * @param wanted As on the command line: `src/stages/take.ts`, `src/probe` or `src/errors.ts:12`.
 * @throws {UsageError} If there is nothing to change.
 */
function chooseMutants(
  files: ReadonlyMap<string, string>,
  wanted: readonly string[],
): Mutant[] {
  const places = wanted.length > 0 ? wanted : ["src", "node_compat"];
  const mutants = places.flatMap((place) => {
    const [, path = "", line] = /^(?:\.\/)?(.+?)\/?(?::(\d+))?$/.exec(place) ?? [];
    const paths = [...files.keys()].filter((name) =>
      /^(?:src|node_compat)\//.test(name) && (name === path || name.startsWith(`${path}/`))
    );
    if (paths.length === 0) {
      throw new UsageError(`Cannot change ${place}: name a file or folder of src or node_compat`);
    }
    return paths.flatMap((name) => listMutants(name, files.get(name)!))
      .filter((mutant) => line === undefined || mutant.line === Number(line));
  });
  if (mutants.length === 0) throw new UsageError("There is nothing to change in these files");
  const keyOf = ({ path, start, end, after }: Mutant) => `${path}:${start}:${end}:${after}`;
  return [...new Map(mutants.map((mutant) => [keyOf(mutant), mutant])).values()];
}

const root = new URL("../", import.meta.url);
const folders = ["src", "node_compat", "scenarios", "bench", "runtimes", "tests"];
/** Tests of other things that happen to reach what is changed: slow, and no proof of it. */
const foreign = /^tests\/(?:bench|package|playground|runtimes|scenarios|scripts|wpt)\//;
/** How many tests `--quick` runs for a change: as a rule the first notices it. */
const nearest = 5;
/** What only Deno runs: elsewhere no test could notice a change of it. */
const denoOnly: ReadonlySet<string> = new Set(["src/files/open_deno_file.ts"]);

function readFlags(args: readonly string[]) {
  return parseCommandLine(args, {
    command: "deno task dev mutate",
    about:
      "Changes one place of the code at a time, in a copy, and runs the tests that reach it:\n" +
      "if no test notices a change, a test is missing, or the change has no effect.\n" +
      "FILE is a file or folder of src or node_compat, or one of its lines, as FILE:LINE.\n" +
      `Only with --runtime deno, since other runtimes never load them: ${
        [...denoOnly].join(", ")
      }.`,
    positional: "[FILE…]",
    examples: [
      "deno task dev mutate src/stages/take.ts --all",
      "deno task dev mutate --count 300 --seed 1 --minutes 30",
    ],
    flags: {
      count: { kind: "integer", about: "how many changes; default: 20", minimum: 1 },
      all: { kind: "boolean", about: "every change, not a random choice" },
      quick: { kind: "boolean", about: `only the ${nearest} nearest tests of each change` },
      seed: { kind: "integer", about: "of the choice; default: random", maximum: 2 ** 32 - 1 },
      minutes: { kind: "integer", about: "start no change after so many minutes", minimum: 1 },
      jobs: { kind: "integer", about: "changes at a time; default: half the cores", minimum: 1 },
      runtime: {
        kind: "text",
        about: "runtime of the tests; default: bun",
        value: "R",
        choices: runtimeNames,
      },
      json: { kind: "text", value: "FILE", about: "write every change and what noticed it" },
      list: { kind: "boolean", about: "list the changes and run nothing" },
    },
  });
}

/** The tests that look at a file, the nearest first; none of another layer. */
function testsFor(path: string, reaching: ReadonlyMap<string, readonly string[]>): string[] {
  return (reaching.get(path) ?? []).filter((test) =>
    !foreign.test(test) &&
    (path.startsWith("src/files/") || !test.startsWith("tests/files/"))
  );
}

/** The command `deno task dev mutate`. */
export async function mutate(args: readonly string[], signal: AbortSignal): Promise<void> {
  const flags = readFlags(args);
  const json = flags.json === undefined ? undefined : await checkWritable("--json", flags.json);
  const seed = flags.seed ?? Math.floor(Math.random() * 2 ** 32);
  const runtimeName = (flags.runtime ?? "bun") as RuntimeName;
  const choose = (files: ReadonlyMap<string, string>) => {
    const all = chooseMutants(files, flags._)
      .filter(({ path }) => runtimeName === "deno" || !denoOnly.has(path));
    const count = flags.all ? all.length : flags.count ?? 20;
    return { all, mutants: flags.all ? all : shuffle(all, seededRandom(seed)).slice(0, count) };
  };
  const { all, mutants } = choose(await readProject(folders));
  if (flags.list) return console.log(mutants.map(describeMutant).join("\n"));
  const runtime = await findRuntime(runtimeName);
  const title = `${mutants.length} of ${all.length} changes, seed ${seed}`;
  console.log(`${title}: ${describeRuntime(runtime)}`);

  const copies: URL[] = [];
  const verdicts: Verdict[] = [];
  const progress = (text: string) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  };
  const say = (text: string) => {
    progress("");
    console.log(text);
  };
  try {
    copies.push(await copyProject(root));
    // What is tried is what was copied: files may change here meanwhile.
    const files = await readProject(folders, copies[0]);
    const reaching = reachingTests(files);
    const jobs = flags.jobs ?? Math.max(1, Math.floor(availableParallelism() / 2));
    while (copies.length < jobs) copies.push(await copyProject(copies[0]!));
    const sandboxes = copies.map((copy): Sandbox => ({ runtime, copy, signal }));
    const { mutants } = choose(files);
    const testsOf = (path: string) =>
      testsFor(path, reaching).slice(0, flags.quick ? nearest : undefined);
    const times = new Map<string, number>();
    const tests = [...new Set(mutants.flatMap(({ path }) => testsOf(path)))];
    await share(sandboxes, tests, async (sandbox, test) => {
      progress(`unchanged: ${test}`);
      const elapsedMs = await timeOf(sandbox, test) ?? await timeOf(sandbox, test);
      if (elapsedMs !== undefined) times.set(test, elapsedMs);
      else if (!signal.aborted) say(`left out, for it fails as it is: ${test}`);
      return !signal.aborted;
    });
    const endMs = performance.now() + (flags.minutes ?? Infinity) * 60_000;
    await share(sandboxes, mutants, async (sandbox, mutant) => {
      if (signal.aborted || performance.now() > endMs) return false;
      progress(`${verdicts.length} of ${mutants.length} tried; ${mutant.path}:${mutant.line}`);
      // First its file's own test, then the others that reach it, the quickest first.
      const [own, ...others] = testsOf(mutant.path).filter((test) => times.has(test));
      others.sort((one, other) => times.get(one)! - times.get(other)!);
      const inOrder = own === undefined ? [] : [own, ...others];
      const timed = new Map(inOrder.map((test) => [test, times.get(test)!]));
      const verdict = await tryMutant(sandbox, mutant, timed);
      if (signal.aborted) return false;
      verdicts.push(verdict);
      if (verdict.noticedBy === undefined) say(`not noticed: ${describeMutant(mutant)}`);
      return true;
    });
  } finally {
    for (const copy of copies) await rm(copy, { recursive: true, force: true });
  }
  if (json !== undefined) {
    await writeFile(
      json,
      `${JSON.stringify({ seed, runtime: describeRuntime(runtime), verdicts }, null, 2)}\n`,
    );
  }
  const noticed = verdicts.filter(({ noticedBy }) => noticedBy !== undefined).length;
  const percent = (100 * noticed / Math.max(1, verdicts.length)).toFixed(1);
  const left = mutants.length - verdicts.length;
  say(
    `${noticed} of ${verdicts.length} changes noticed (${percent} %)` +
      (left > 0 ? `, ${left} not tried` : ""),
  );
}

if (import.meta.main) await runCommand(mutate);
