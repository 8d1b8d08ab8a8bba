import { availableParallelism } from "node:os";
import process from "node:process";
import { shuffle } from "../bench/measure/shuffle.ts";
import { seededRandom } from "../bench/results/seeded_random.ts";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";
import { describeRuntime, findRuntime } from "../runtimes/find_runtime.ts";
import { checkWritable } from "./command_line/check_writable.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";
import { readProject } from "./gate/read_project.ts";
import { listMutants } from "./mutate/list_mutants.ts";
import type { Mutant } from "./mutate/mutant.ts";
import { reachingTests } from "./mutate/reaching_tests.ts";
import { Tester, type Verdict } from "./mutate/tester.ts";
import { writeVerdicts } from "./mutate/write_verdicts.ts";

const root = new URL("../", import.meta.url);
/** Tests of other things that happen to reach what is changed: slow, and no proof of it. */
const foreign = /^tests\/(?:bench|package|playground|runtimes|scenarios|scripts|wpt)\//;

function readFlags(args: readonly string[]) {
  return parseCommandLine(args, {
    command: "deno task mutate",
    about:
      "Changes one place of the code at a time, in a copy, and runs the tests that reach it:\n" +
      "a change that none of them notices is a test that is missing, or changes nothing.\n" +
      "FILE is a file or folder of src or node_compat, or one of its lines, as FILE:LINE.\n" +
      "Examples:  deno task mutate src/stages/take.ts --all\n" +
      "           deno task mutate --count 300 --seed 1 --minutes 30",
    positional: "[FILE…]",
    flags: {
      count: { kind: "integer", about: "how many changes; default: 20", minimum: 1 },
      all: { kind: "boolean", about: "every change, not a random choice" },
      seed: { kind: "integer", about: "of the choice; default: drawn", maximum: 2 ** 32 - 1 },
      minutes: { kind: "integer", about: "begins no change after so many", minimum: 1 },
      jobs: { kind: "integer", about: "at a time; default: half the cores", minimum: 1 },
      runtime: { kind: "text", about: "where; default: bun", value: "R", choices: runtimeNames },
      json: { kind: "text", value: "FILE", about: "writes every change and what noticed it" },
      list: { kind: "boolean", about: "lists the changes and runs nothing" },
    },
  });
}

/** The changes of the files chosen, by default of all that is published. */
function choose(files: ReadonlyMap<string, string>, wanted: readonly string[]): Mutant[] {
  const places = (wanted.length > 0 ? wanted : ["src", "node_compat"]).map((place) => {
    const [, path, line] = /^(?:\.\/)?(.+?)\/?(?::(\d+))?$/.exec(place)!;
    return { place, path: path!, line };
  });
  const chosen = places.flatMap(({ place, path, line }) => {
    const paths = [...files.keys()].filter((name) =>
      /^(?:src|node_compat)\//.test(name) && (name === path || name.startsWith(`${path}/`))
    );
    if (paths.length === 0) {
      throw new UsageError(`Cannot change ${place}: name a file or folder of src or node_compat`);
    }
    return paths.flatMap((name) => listMutants(name, files.get(name)!))
      .filter((mutant) => line === undefined || mutant.line === Number(line));
  });
  if (chosen.length === 0) throw new UsageError("There is nothing to change in these files");
  return [...new Map(chosen.map((mutant) => [describeMutant(mutant), mutant])).values()];
}

function inOneLine(text: string): string {
  const short = text.replaceAll(/\s+/g, " ");
  return short.length > 60 ? `${short.slice(0, 57)}…` : short;
}

function describeMutant({ path, line, column, before, after }: Mutant): string {
  return `${path}:${line}:${column}  ${inOneLine(before)}  →  ${inOneLine(after)}`;
}

/** The tests that look at a file, the nearest first; none of another layer. */
function testsFor(path: string, reaching: ReadonlyMap<string, readonly string[]>): string[] {
  return (reaching.get(path) ?? []).filter((test) =>
    !foreign.test(test) &&
    (path.startsWith("node_compat/") || !test.startsWith("tests/node_compat/"))
  );
}

/** Does each of `items` with one of several workers. */
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

async function mutate(args: readonly string[], signal: AbortSignal): Promise<number | void> {
  const flags = readFlags(args);
  const json = flags.json === undefined ? undefined : await checkWritable("--json", flags.json);
  const files = await readProject([
    "src",
    "node_compat",
    "scenarios",
    "bench",
    "runtimes",
    "tests",
  ]);
  const all = choose(files, flags._);
  const seed = flags.seed ?? Math.floor(Math.random() * 2 ** 32);
  const mutants = flags.all ? all : shuffle(all, seededRandom(seed)).slice(0, flags.count ?? 20);
  if (flags.list) return console.log(mutants.map(describeMutant).join("\n"));

  const reaching = reachingTests(files);
  const runtime = await findRuntime((flags.runtime ?? "bun") as RuntimeName);
  console.log(
    `${mutants.length} of ${all.length} changes, seed ${seed}: ${describeRuntime(runtime)}`,
  );
  const progress = (text: string) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  };
  const jobs = flags.jobs ?? Math.max(1, Math.floor(availableParallelism() / 2));
  const testers: Tester[] = [];
  const verdicts: Verdict[] = [];
  try {
    for (let job = 0; job < jobs; job++) testers.push(await Tester.create(runtime, root, signal));

    const times = new Map<string, number>();
    const tests = [...new Set(mutants.flatMap(({ path }) => testsFor(path, reaching)))];
    await share(testers, tests, async (tester, test) => {
      progress(`unchanged: ${test}`);
      const elapsedMs = await tester.timeOf(test) ?? await tester.timeOf(test);
      if (elapsedMs !== undefined) times.set(test, elapsedMs);
      else if (!signal.aborted) console.log(`left out, for it fails as it is: ${test}`);
      return !signal.aborted;
    });

    const endMs = performance.now() + (flags.minutes ?? Infinity) * 60_000;
    await share(testers, mutants, async (tester, mutant) => {
      if (signal.aborted || performance.now() > endMs) return false;
      progress(`${verdicts.length + 1} of ${mutants.length}: ${mutant.path}:${mutant.line}`);
      const [own, ...others] = testsFor(mutant.path, reaching).filter((test) => times.has(test));
      others.sort((one, other) => times.get(one)! - times.get(other)!);
      const ordered = own === undefined ? [] : [own, ...others];
      const verdict = await tester.tryMutant(
        mutant,
        new Map(ordered.map((test) => [test, times.get(test)!])),
      );
      if (signal.aborted) return false;
      verdicts.push(verdict);
      if (verdict.noticedBy === undefined) {
        progress("");
        console.log(`not noticed: ${describeMutant(mutant)}`);
      }
      return true;
    });
  } finally {
    progress("");
    for (const tester of testers) await tester.dispose();
    if (json !== undefined) await writeVerdicts(json, { seed, runtime, verdicts });
  }
  const noticed = verdicts.filter(({ noticedBy }) => noticedBy !== undefined).length;
  const share100 = (100 * noticed / Math.max(1, verdicts.length)).toFixed(1);
  const left = mutants.length - verdicts.length;
  console.log(
    `${noticed} of ${verdicts.length} changes noticed (${share100} %)` +
      (left > 0 ? `, ${left} not tried` : ""),
  );
}

await runCommand(mutate);
