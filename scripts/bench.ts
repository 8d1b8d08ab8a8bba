import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runtimeNames } from "../runtimes/current_runtime.ts";
import type { RuntimeName } from "../runtimes/current_runtime.ts";
import { describeMachine } from "../bench/results/describe_machine.ts";
import { digestDisagreements } from "../bench/results/digest_disagreements.ts";
import { gitState } from "../bench/results/git_state.ts";
import { type Profile, profiles } from "../bench/measure/profile.ts";
import { Progress } from "../bench/measure/progress.ts";
import { readResultFile } from "../bench/results/read_result_file.ts";
import { loadRegistry } from "../bench/measure/registry.ts";
import { renderTables } from "../bench/tables/render_tables.ts";
import { isMeasured, type ResultFile, type Row } from "../bench/results/result.ts";
import { runBench } from "../bench/measure/run_bench.ts";
import { selectCases } from "../bench/measure/select_cases.ts";
import type { Workload } from "../bench/measure/workload.ts";
import { writeResultFile } from "../bench/results/write_result_file.ts";
import { checkWritable } from "./command_line/check_writable.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";
import { printComparison, thresholdFlag } from "./compare.ts";
import { listWorkloads } from "./bench/list_workloads.ts";
import { describeRuntime, findRuntime, findRuntimes } from "../runtimes/find_runtime.ts";

const root = new URL("../", import.meta.url);
const latest = fileURLToPath(new URL("bench/results/latest.json", root));

/** What tests put in the place of the real thing. */
export interface BenchEnvironment {
  /** The module whose `workloads` are run. */
  readonly registryUrl?: string;
  readonly profiles?: Record<"quick" | "default" | "full", Profile>;
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

function readFlags(args: readonly string[], workloadNames: readonly string[]) {
  const flags = parseCommandLine(args, {
    command: "deno task bench",
    about: "Measures contestants against each other, each case in a process of its own.\n" +
      "The rows noop and hand are always measured: they are the floor and the limit.",
    flags: {
      workload: { kind: "list", value: "W,…", about: "default: all", choices: workloadNames },
      contestant: { kind: "list", value: "C,…", about: "default: all; see --list" },
      runtime: { kind: "list", value: "R,…", about: "default: all", choices: runtimeNames },
      param: { kind: "texts", value: "NAME=V,V", about: "values of a parameter; see --list" },
      input: { kind: "text", value: "FILE", about: "another input; default: the workload's own" },
      quick: { kind: "boolean", about: "fewest samples, fewest values" },
      full: { kind: "boolean", about: "most samples; takes an hour or more" },
      json: { kind: "text", value: "FILE", about: "default: bench/results/latest.json" },
      compare: { kind: "text", value: "OLD.json", about: "then compares; exits 3 if too slow" },
      threshold: thresholdFlag,
      seed: { kind: "integer", about: "of the order; default: drawn", maximum: 2 ** 32 - 1 },
      list: { kind: "boolean", about: "lists workloads, parameters and contestants" },
    },
  });
  if (flags.quick && flags.full) throw new UsageError("Choose one of --quick, --full");
  if (flags.threshold !== undefined && flags.compare === undefined) {
    throw new UsageError("--threshold needs --compare OLD.json");
  }
  return flags;
}

function print(result: ResultFile, workloads: readonly Workload[]): void {
  const find = (name: string) => workloads.find((workload) => workload.name === name);
  const entriesOf = (name: string) => find(name)?.contestants ?? [];
  const isGeneral = ({ workload }: Row) => find(workload)?.renderRows === undefined;
  const general = renderTables(result.rows.filter(isGeneral), {
    order: (workload) => entriesOf(workload).map(({ name }) => name),
    note: (workload, contestant) => entriesOf(workload).find((e) => e.name === contestant)?.note,
    rates: (workload) => find(workload)?.rates ?? [],
    bars: (workload) => find(workload)?.bars ?? [],
  });
  const own = workloads.map(({ name, renderRows }) =>
    renderRows?.(result.rows.filter(({ workload }) => workload === name)) ?? ""
  );
  console.log([general, ...own].filter(Boolean).join("\n\n"));
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
  const values = flags.quick ? "quick" : flags.full ? "full" : "all";
  const profile = (environment.profiles ?? profiles)[values === "all" ? "default" : values];
  const runtimeChoice = (flags.runtime ?? runtimeNames) as readonly RuntimeName[];
  const workloads = await Promise.all(
    (flags.workload ?? Object.keys(registry)).map((name) => registry[name]!()),
  );
  const input = flags.input === undefined ? undefined : await checkInput(flags.input);
  const { contestant: contestants, param: params } = flags;
  const cases = asUsage(() =>
    selectCases({ workloads, runtimes: runtimeChoice, contestants, params, values, input })
  );
  if (flags.list) {
    console.log(listWorkloads(workloads));
    return 0;
  }
  const old = flags.compare === undefined ? undefined : await readOld(flags.compare);
  if (flags.json === undefined) await mkdir(dirname(latest), { recursive: true });
  const json = await checkWritable("--json", flags.json ?? latest);

  const runtimes = await findRuntimes(runtimeChoice);
  for (const helper of new Set(workloads.flatMap(({ helpers }) => helpers ?? []))) {
    const { executable } = runtimes.find(({ name }) => name === helper) ??
      await findRuntime(helper);
    process.env[`HOSEPIPE_${helper.toUpperCase()}`] = executable;
  }
  if (input === undefined) { for (const workload of workloads) await workload.prepareInput?.(); }
  const seed = flags.seed ?? Math.floor(Math.random() * 2 ** 32);
  console.log(
    `${cases.length} cases, profile ${profile.name}, seed ${seed}: ` +
      `${runtimes.map(describeRuntime).join(", ")}\n`,
  );

  const startedAt = new Date();
  const state = await gitState(fileURLToPath(root));
  const progress = new Progress(process.stderr, cases.length);
  const rows = await runBench(cases, { runtimes, seed, progress, profile, registryUrl, signal });
  const result: ResultFile = {
    schema: 1,
    ...state,
    startedAt: startedAt.toISOString(),
    elapsedMs: Date.now() - startedAt.getTime(),
    machine: describeMachine(),
    seed,
    profile: profile.name,
    complete: rows.length === cases.length,
    rows,
  };
  try {
    await writeResultFile(json, result);
  } finally {
    // A disk that filled up meanwhile must not cost the table too.
    print(result, workloads);
  }

  const disagreements = digestDisagreements(rows);
  const unmeasured = rows.filter((row) => !isMeasured(row));
  const refusals = unmeasured.filter((row) => "refused" in row).length;
  const failures = unmeasured.length - refusals;
  const twice = rows.filter((row) => isMeasured(row) && row.timesMeasured !== undefined).length;
  console.log(
    `\n${rows.length - unmeasured.length} of ${cases.length} cases measured${
      twice > 0 ? `, ${twice} of them twice,` : ""
    } in ` +
      `${Math.round(result.elapsedMs / 1000)} s, ${failures} failed` +
      `${refusals > 0 ? `, ${refusals} refused` : ""}` +
      `${result.complete ? "" : ", then interrupted"}; rows in ${json}`,
  );
  for (const line of disagreements) console.error(line);
  if (old !== undefined) console.log();
  const comparison = old === undefined ? 0 : printComparison(old, result, flags.threshold);
  return failures > 0 || disagreements.length > 0 ? 1 : comparison;
}

if (import.meta.main) await runCommand(bench);
