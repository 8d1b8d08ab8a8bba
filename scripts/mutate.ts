import { rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import process from "node:process";
import { shuffle } from "../bench/measure/shuffle.ts";
import { seededRandom } from "../scenarios/concurrency/seeded_random.ts";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";
import { describeRuntime, findRuntime } from "../runtimes/find_runtime.ts";
import { checkWritable } from "../scenarios/command_line/check_writable.ts";
import { parseCommandLine } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { readProject } from "./gate/read_project.ts";
import { chooseMutants } from "./mutate/choose_mutants.ts";
import { copyProject } from "./mutate/copy_project.ts";
import { describeMutant } from "./mutate/describe_mutant.ts";
import { reachingTests } from "./mutate/reaching_tests.ts";
import type { Verdict } from "./mutate/tester.ts";
import { tryMutants } from "./mutate/try_mutants.ts";

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
    await tryMutants(choose(files).mutants, {
      ...{ runtime, copies, signal },
      testsOf: (path) => testsFor(path, reaching).slice(0, flags.quick ? nearest : undefined),
      limitMs: (flags.minutes ?? Infinity) * 60_000,
      onBegin: (what) => progress(`${verdicts.length} of ${mutants.length} tried; ${what}`),
      onFailingTest: (test) => say(`left out, for it fails as it is: ${test}`),
      onVerdict(verdict) {
        verdicts.push(verdict);
        if (verdict.noticedBy === undefined) say(`not noticed: ${describeMutant(verdict.mutant)}`);
      },
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
