import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { formatLeft } from "../bench/measure/format_left.ts";
import { type Profile, profiles } from "../bench/measure/profile.ts";
import { loadRegistry, type Registry } from "../bench/measure/registry.ts";
import { isInSet, selectCases } from "../bench/measure/select_cases.ts";
import { digestDisagreements } from "../bench/results/digest_disagreements.ts";
import { readResultFile } from "../bench/results/read_result_file.ts";
import { isMeasured, type ResultFile, type Row } from "../bench/results/result.ts";
import { writeResultFile } from "../bench/results/write_result_file.ts";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";
import {
  describeRuntime,
  findRuntime,
  findRuntimes,
  findRuntimeVersion,
  type Runtime,
} from "../runtimes/find_runtime.ts";
import { controlOf } from "./bench/control_of.ts";
import { expectedTime } from "./bench/expected_time.ts";
import { listWorkloads } from "./bench/list_workloads.ts";
import { measureRun } from "./bench/measure_run.ts";
import { printTables } from "./bench/print_tables.ts";
import { publish } from "./bench/publish.ts";
import { readFlags } from "./bench/read_flags.ts";
import { tourLegend, tourSentences } from "./bench/tour_sentences.ts";
import { checkWritable } from "../scenarios/command_line/check_writable.ts";
import { resolvePath } from "../scenarios/command_line/resolve_path.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { UsageError } from "../scenarios/command_line/usage_error.ts";
import { printComparison } from "./compare.ts";

const root = new URL("../", import.meta.url);
const latest = fileURLToPath(new URL("bench/results/latest.json", root));
const published = fileURLToPath(new URL("bench/results/published.json", root));
const sweeps = fileURLToPath(new URL("bench/results/sweeps.json", root));

/** What tests use instead of the real thing. */
export interface BenchEnvironment {
  /** The module whose `workloads` are run. */
  readonly registryUrl?: string;
  readonly profiles?: Record<keyof typeof profiles, Profile>;
}

async function checkInput(path: string): Promise<string> {
  const refuse = (reason: string) => new UsageError(`Cannot read --input ${path}: ${reason}`);
  const absolute = resolvePath(path);
  const stats = await stat(absolute).catch(() => undefined);
  if (stats === undefined) throw refuse("no such file");
  if (!stats.isFile()) throw refuse("it is not a file");
  await access(absolute, constants.R_OK).catch(() => {
    throw refuse("no permission");
  });
  return absolute;
}

/** Reads the results to compare with before anything is measured, which may replace them. */
async function readOld(path: string): Promise<ResultFile> {
  try {
    return await readResultFile(resolvePath(path));
  } catch (cause) {
    throw new UsageError(`--compare: ${(cause as Error).message}`, { cause });
  }
}

/** What a selection refuses, the command line has caused. */
function asUsage<T>(select: () => T): T {
  try {
    return select();
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

/** The command `deno task bench`; returns its exit code. */
export async function bench(
  args: readonly string[],
  signal: AbortSignal,
  environment: BenchEnvironment = {},
): Promise<number> {
  const registryUrl = environment.registryUrl ?? new URL("bench/workloads.ts", root).href;
  const registry = await loadRegistry(registryUrl);
  const flags = readFlags(args, Object.keys(registry));
  const { amount } = flags;
  const profile = (environment.profiles ?? profiles)[amount];
  const { versions } = flags;
  const named = versions.size > 0 ? [...versions.keys()] : flags.runtime;
  const runtimeChoice = (named ?? runtimeNames) as readonly RuntimeName[];
  const known = await Promise.all(
    (flags.workload ?? Object.keys(registry)).map((name) => registry[name]!()),
  );
  const workloads = flags.workload
    ? known
    : known.filter(({ set, isSwept }) => amount === "sweeps" ? isSwept : isInSet(amount, set));
  const input = flags.input === undefined ? undefined : await checkInput(flags.input);
  const { contestant: contestants, param: params } = flags;
  const cases = asUsage(() =>
    selectCases({
      ...{ workloads, runtimes: runtimeChoice, contestants, params, values: amount, input },
    })
  );
  if (flags.list) {
    console.log(listWorkloads(workloads, flags.workload !== undefined));
    return 0;
  }
  const old = flags.compare === undefined ? undefined : await readOld(flags.compare);
  const usual = flags.publish ? published : flags.sweeps ? sweeps : latest;
  if (flags.json === undefined) await mkdir(dirname(usual), { recursive: true });
  const json = await checkWritable("--json", flags.json ?? usual, { "the input": input });

  const runtimes: Runtime[] = versions.size > 0 ? [] : await findRuntimes(runtimeChoice);
  for (const [name, version] of versions) runtimes.push(await findRuntimeVersion(name, version));
  for (const helper of new Set(workloads.flatMap(({ helpers }) => helpers ?? []))) {
    const { executable } = runtimes.find(({ name }) => name === helper) ??
      await findRuntime(helper);
    process.env[`HOSEPIPE_${helper.toUpperCase()}`] = executable;
  }
  if (input === undefined) { for (const workload of workloads) await workload.prepareInput?.(); }
  const seed = flags.seed ?? Math.floor(Math.random() * 2 ** 32);
  const estimate = await expectedTime(profile.name);
  const expectedMs = cases.reduce((sum, one) => sum + estimate(one), 0);
  const runs = flags.publish ? flags.runs ?? 3 : 1;
  console.log(
    `${cases.length} cases, profile ${profile.name}, ${
      flags.publish ? `${runs} runs` : `seed ${seed}`
    }: ` +
      `about ${formatLeft(expectedMs * runs)}\n${runtimes.map(describeRuntime).join(", ")}\n`,
  );

  const shared = { cases, runtimes, profile, registryUrl, estimate, signal };
  if (flags.publish) {
    const folder = `${json.replace(/\.json$/, "")}-runs`;
    return await publish({ ...shared, runs, folder, out: json });
  }
  let shown = 0;
  const onWorkload = (rows: readonly Row[]) => {
    const text = printTables(rows, workloads, flags.verbose);
    if (text === "") return;
    console.log(`${shown++ === 0 ? "" : "\n"}${text}`);
  };
  const result = await measureRun({ ...shared, seed, onWorkload });
  const { rows } = result;
  // Half a run says nothing of the other half: it never takes the place of a whole one.
  const file = result.complete ? json : json.replace(/(\.json)?$/, ".partial.json");
  await writeResultFile(file, result);

  const disagreements = digestDisagreements(rows);
  const unmeasured = rows.filter((row) => !isMeasured(row));
  const refusals = unmeasured.filter((row) => "refused" in row).length;
  const failures = unmeasured.length - refusals;
  const leftOut = signal.aborted ? 0 : cases.length - rows.length;
  const twice = rows.filter((row) => isMeasured(row) && row.timesMeasured !== undefined).length;
  console.log(
    `\n${rows.length - unmeasured.length} of ${cases.length} cases measured${
      twice > 0 ? `, ${twice} of them twice,` : ""
    } in ` +
      `${Math.round(result.elapsedMs / 1000)} s, ${failures} failed` +
      `${refusals > 0 ? `, ${refusals} refused` : ""}` +
      `${signal.aborted && !result.complete ? ", then interrupted" : ""}\nrows in ${file}`,
  );
  if (leftOut > 0) {
    console.log(
      `${leftOut} of ${cases.length} cases left out, since the time of the tour was over`,
    );
  }
  if (amount === "tour" && !signal.aborted) {
    const allMs = await expectedOfAll(registry, runtimeChoice);
    console.log(`\n${tourLegend(rows)}\n\n${tourSentences(rows, workloads)}`);
    console.log(
      `\nNext: deno task bench --all (about ${formatLeft(allMs)}).`,
    );
  }
  for (const line of disagreements) console.error(line);
  if (old !== undefined) console.log();
  const comparison = old === undefined
    ? 0
    : printComparison(old, result, flags.threshold, controlOf(known));
  return failures > 0 || disagreements.length > 0 ? 1 : comparison;
}

/** How long `--all` would take. */
async function expectedOfAll(
  registry: Registry,
  runtimes: readonly RuntimeName[],
): Promise<number> {
  const workloads = await Promise.all(Object.values(registry).map((load) => load()));
  const estimate = await expectedTime("all");
  return selectCases({ workloads, runtimes, params: [], values: "all" })
    .reduce((sum, one) => sum + estimate(one), 0);
}

if (import.meta.main) await runCommand(bench);
