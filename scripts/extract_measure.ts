import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { extract } from "../bench/extract/workload.ts";
import { extractFar } from "../bench/extract_far/workload.ts";
import type { Profile } from "../bench/measure/profile.ts";
import { Progress } from "../bench/measure/progress.ts";
import { runBench } from "../bench/measure/run_bench.ts";
import { shuffle } from "../bench/measure/shuffle.ts";
import { describeCase } from "../bench/results/describe_case.ts";
import { describeMachine } from "../bench/results/describe_machine.ts";
import { digestDisagreements } from "../bench/results/digest_disagreements.ts";
import { gitState } from "../bench/results/git_state.ts";
import { readResultFile } from "../bench/results/read_result_file.ts";
import { isMeasured, type ResultFile } from "../bench/results/result.ts";
import { seededRandom } from "../bench/results/seeded_random.ts";
import { writeResultFile } from "../bench/results/write_result_file.ts";
import { runtimeNames } from "../runtimes/current_runtime.ts";
import type { RuntimeName } from "../runtimes/current_runtime.ts";
import { describeRuntime, findRuntimes } from "../runtimes/find_runtime.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";
import { ladderCases } from "./extract/ladder_cases.ts";

const root = new URL("../", import.meta.url);
const registryUrl = new URL("bench/workloads.ts", root).href;

/** A case in a quiet process needs few samples, and none of 300 cases may take minutes. */
const ladderProfile: Profile = {
  name: "ladders",
  sampleMs: 100,
  tiers: [
    { overMs: 0, samples: 3, firstRunCounts: false },
    { overMs: 600, samples: 1, firstRunCounts: true },
    { overMs: 2_500, samples: 0, firstRunCounts: true },
  ],
  timeoutMs: 90_000,
  budgetMs: 12 * 60_000,
};

/** Measured rows are on the disk after so many. */
const casesPerPart = 12;

const partialName = "ladders-partial.json";

/** What an earlier run with the same code has measured; `undefined`: there is none. */
async function readPartial(path: string, commit: string | null): Promise<ResultFile | undefined> {
  const partial = await readResultFile(path).catch(() => undefined);
  return partial !== undefined && partial.commit === commit ? partial : undefined;
}

/** The command `deno task extract:measure`; returns its exit code. */
export async function extractMeasure(
  args: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const names = [...new Set([extract, extractFar].flatMap(({ contestants }) => contestants))]
    .map(({ name }) => name);
  const flags = parseCommandLine(args, {
    command: "deno task extract:measure",
    about:
      "Measures both ladders that docs/extract-measured.md shows, each case in a process of its own:\n" +
      "on SQLite, and on PostgreSQL and FerretDB 0, 2 and 10 ms away. It starts PostgreSQL if it is\n" +
      "installed, and the FerretDB that HOSEPIPE_FERRETDB names; POSTGRES_URI and MONGODB_URI name\n" +
      "others. Results are saved every few cases: after a stop, run it again and it continues.\n" +
      "Then `deno task readme` writes the document's tables.",
    flags: {
      folder: { kind: "text", value: "DIR", about: "of the results; default: bench/results" },
      contestant: {
        kind: "list",
        value: "C,…",
        about: "a few steps, to try it; needs --folder",
        choices: [...new Set(names)],
      },
      runtime: { kind: "list", value: "R,…", about: "default: all", choices: runtimeNames },
      seed: {
        kind: "integer",
        about: "seed for the order of the cases; default: 1",
        maximum: 2 ** 32 - 1,
      },
      anew: { kind: "boolean", about: "starts over, ignoring earlier results" },
    },
    examples: [
      "deno task extract:measure --seed 7",
      "deno task extract:measure --folder /tmp/ladders --contestant cursor --runtime node",
    ],
  });
  const { contestant: contestants, seed = 1 } = flags;
  if (flags.folder === undefined && (contestants ?? flags.runtime) !== undefined) {
    throw new UsageError("A part of the ladders needs a --folder: the committed results are whole");
  }
  const folder = flags.folder === undefined
    ? fileURLToPath(new URL("bench/results", root))
    : resolvePath(flags.folder);
  await mkdir(folder, { recursive: true });
  const partialPath = join(folder, partialName);
  const chosen = (flags.runtime ?? runtimeNames) as readonly RuntimeName[];
  const cases = ladderCases({ near: extract, far: extractFar, runtimes: chosen, contestants });
  const state = await gitState(fileURLToPath(root));
  const earlier = flags.anew ? undefined : await readPartial(partialPath, state.commit);
  const rows = [...earlier?.rows ?? []];
  const known = new Set(rows.map(describeCase));
  const left = shuffle(cases, seededRandom(seed)).filter((one) => !known.has(describeCase(one)));
  const runtimes = await findRuntimes(chosen);
  console.log(
    `${left.length} of ${cases.length} cases to measure, seed ${seed}: ` +
      runtimes.map(describeRuntime).join(", "),
  );
  const startedAt = new Date();
  for (const workload of [extract, extractFar]) await workload.prepareInput!();

  const head = {
    schema: 1,
    ...{ ...state, machine: describeMachine(), seed, profile: ladderProfile.name },
    startedAt: earlier?.startedAt ?? startedAt.toISOString(),
  } as const;
  const elapsedMs = () => (earlier?.elapsedMs ?? 0) + Date.now() - startedAt.getTime();
  const progress = new Progress(process.stderr, left.length);
  for (let at = 0; at < left.length && !signal.aborted; at += casesPerPart) {
    const part = left.slice(at, at + casesPerPart);
    rows.push(
      ...await runBench(part, {
        ...{ runtimes, seed, progress, profile: ladderProfile, registryUrl, signal },
      }),
    );
    const complete = rows.length === cases.length;
    await writeResultFile(partialPath, { ...head, elapsedMs: elapsedMs(), complete, rows });
    console.log(`${rows.length} of ${cases.length} cases, ${Math.round(elapsedMs() / 1000)} s`);
  }
  if (rows.length < cases.length) {
    console.error(`Interrupted: run it again to go on; what was measured is in ${partialPath}`);
    return 1;
  }
  for (const { name } of [extract, extractFar]) {
    await writeResultFile(join(folder, `reference-${name}.json`), {
      ...{ ...head, elapsedMs: elapsedMs(), complete: true },
      rows: rows.filter(({ workload }) => workload === name),
    });
  }
  await rm(partialPath, { force: true });
  for (const { name, renderRows } of [extract, extractFar]) {
    console.log(`\n${renderRows!(rows.filter(({ workload }) => workload === name))}`);
  }
  const failed = rows.filter((row) => !isMeasured(row) && !("refused" in row));
  const disagreements = digestDisagreements(rows);
  for (const line of disagreements) console.error(line);
  console.log(
    `\n${rows.length} cases in ${Math.round(elapsedMs() / 1000)} s, ${failed.length} failed; ` +
      `now: deno task readme`,
  );
  return failed.length > 0 || disagreements.length > 0 ? 1 : 0;
}

if (import.meta.main) await runCommand(extractMeasure);
