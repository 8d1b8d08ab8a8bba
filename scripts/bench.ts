import { access, constants, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Profile, profiles } from "../bench/measure/profile.ts";
import { loadRegistry, type Registry } from "../bench/measure/registry.ts";
import { isInSet, selectCases } from "../bench/measure/select_cases.ts";
import { readResultFile, readRuns } from "../bench/results/read_result_file.ts";
import {
  describeCase,
  describeParams,
  isMeasured,
  isNearTick,
  type Machine,
  type MeasuredRow,
  noopName,
  type ResultFile,
  type Row,
} from "../bench/results/result.ts";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";
import {
  describeRuntime,
  findRuntime,
  findRuntimes,
  findRuntimeVersion,
  type Runtime,
} from "../runtimes/find_runtime.ts";
import { readFlags } from "./bench/read_flags.ts";
import { checkWritable } from "../scenarios/command_line/check_writable.ts";
import { resolvePath, UsageError } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { controlOf, printComparison } from "./compare.ts";
import type { BenchCase, Workload } from "../bench/measure/workload.ts";
import { renderTables } from "../bench/tables/render_tables.ts";
import { type Estimate, formatLeft, Progress } from "../bench/measure/progress.ts";
import { runBench } from "../bench/measure/run_bench.ts";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { formatDuration, threeDigits, wrapText } from "../bench/tables/row_table.ts";
import { losses } from "../bench/results/losses.ts";
import { quartilesOverlap, ratioOfMedians } from "../bench/results/statistics.ts";

const compared = [["Web Streams", "web"], ["node:stream", "node"]] as const;

/** A control whose middle half is wider than this part of its median was disturbed. */
const widest = 0.5;

function longer(ratio: number): string {
  return ratio >= 1 ? `${threeDigits(ratio)} times as long` : `${threeDigits(ratio)} of the time`;
}

function isSettled(row: MeasuredRow, ours: MeasuredRow): boolean {
  return row.samples.length >= 3 && !row.firstRunCounted && !quartilesOverlap(row, ours);
}

/** The least that README's first screen claims of each rival, in times as long as `pipeline`. */
type Claims = Partial<Record<(typeof compared)[number][1], number>>;

/** Reads what README claims of lines of JSON and of 100 stages, in its order. */
export function readClaims(readme: string): readonly [work: Claims, chain: Claims] {
  const [web, node, chain] = [...readme.matchAll(/\*\*([\d.]+)(?:–[\d.]+)?×\*\*/g)]
    .map(([, least]) => Number(least));
  return [{ web, node }, { web: chain }];
}

function sentences(rows: readonly MeasuredRow[], opening: string, claims: Claims): string[] {
  const find = (name: string) => rows.find(({ contestant }) => contestant === name);
  const [ours, control] = [find("pipeline"), find("hand")];
  if (ours === undefined) return [];
  const title = `${ours.runtime}, ${opening}`;
  if (control !== undefined && (control.p75 - control.p25) / control.median > widest) {
    return [
      `${title}: left out, since the machine was busy: the loop by hand took ` +
      `${formatDuration(control.p25)} to ${formatDuration(control.p75)}.`,
    ];
  }
  const others = compared.flatMap(([name, contestant]) => {
    const row = find(contestant);
    return row === undefined ? [] : [{ name, row }];
  });
  const settled = others.filter(({ row }) => isSettled(row, ours)).map(({ name, row }) => {
    const ratio = ratioOfMedians(row, ours);
    const least = claims[row.contestant as keyof Claims];
    const claim = least !== undefined && ratio < least ? `; README: at least ${least}` : "";
    return `${name} ${formatDuration(row.median)} (${longer(ratio)}${claim})`;
  });
  const open = others.filter(({ row }) => !isSettled(row, ours)).map(({ name }) => name);
  return [
    ...settled.length === 0
      ? []
      : [`${title}: pipeline took ${formatDuration(ours.median)}, ${settled.join(", ")}.`],
    ...open.length === 0 ? [] : [`${title}: left out, not settled: ${open.join(", ")}.`],
  ];
}

/** What the columns and marks of its tables mean; of the marks those that it has. */
function tourLegend(rows: readonly Row[]): string {
  const measured = rows.filter(isMeasured);
  const has = (test: (row: MeasuredRow) => boolean) => measured.some(test);
  return [
    "median: half of the runs took less. quartiles: the middle half of the runs lies between them. " +
    "n: how many runs. / pipeline: how many times as long as pipeline.",
    "not settled: its middle half and pipeline's overlap, so that either may be the faster.",
    ...has(({ firstRunCounted }) => firstRunCounted)
      ? ["cold: the first run, which compiles too, is one of them."]
      : [],
    ...has((row) => row.samples.length < 3) ? ["too few samples: fewer than three runs."] : [],
    ...has(isNearTick) ? ["near the clock's tick: too short for this clock."] : [],
  ].flatMap((line) => wrapText(line, 80)).join("\n");
}

/** What the tour ends in: sentences made from its rows, and where others are faster with the reason. */
function tourSentences(
  rows: readonly Row[],
  workloads: readonly Workload[],
  [work, chain]: ReturnType<typeof readClaims>,
): string {
  const measured = rows.filter(isMeasured);
  const most = Math.max(...measured.map(({ params }) => Number(params.passes ?? 0)));
  const runtimes = [...new Set(measured.map(({ runtime }) => runtime))].sort();
  const of = (runtime: string, workload: string) =>
    measured.filter((row) => row.runtime === runtime && row.workload === workload);
  const said = runtimes.flatMap((runtime) => [
    ...sentences(of(runtime, "real_work"), "lines of JSON from a file to a file", work),
    ...sentences(
      of(runtime, "copy_lines").filter(({ params }) => Number(params.passes) === most),
      `copy_lines with ${most} stages`,
      chain,
    ),
  ]);
  const lost = losses(rows, workloads);
  const faster = lost.length === 0 ? ["Where others are faster: nowhere in these rows."] : [
    "Where others are faster:",
    ...lost.map(({ title, peers, ratio, reason }) =>
      `- ${title}: ${peers.join(", ")}, by up to ${threeDigits(ratio)} times. ${reason}`
    ),
  ];
  return [...said, ...faster].flatMap((line) => wrapText(line, 80)).join("\n");
}

const execute = promisify(execFile);

/** What was measured: a commit, and whether tracked files differ from it; nulls outside git. */
async function gitState(
  cwd: string,
): Promise<{ commit: string | null; dirty: boolean | null }> {
  try {
    const commit = await execute("git", ["rev-parse", "HEAD"], { cwd });
    // The results of the run before this one change nothing that is measured.
    const rest = ["--untracked-files=no", "--", ".", ":!bench/results/*.json"];
    const status = await execute("git", ["status", "--porcelain", ...rest], { cwd });
    return { commit: commit.stdout.trim(), dirty: status.stdout.trim() !== "" };
  } catch {
    // No git, no repository or no commit yet: results are still worth having.
    return { commit: null, dirty: null };
  }
}

/** Says what this machine is, for the result file. */
function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30 * 10) / 10,
    os: `${type()} ${release()} ${process.arch}`,
  };
}

/** What one whole run needs. */
interface RunOptions {
  readonly cases: readonly BenchCase[];
  readonly runtimes: readonly Runtime[];
  readonly profile: Profile;
  readonly registryUrl: string;
  readonly seed: number;
  readonly estimate: Estimate;
  readonly signal: AbortSignal;
  onWorkload?(rows: readonly Row[]): void;
}

/** Measures every case once over; aborted, it gives what there is, and says so. */
async function measureRun({ cases, estimate, ...options }: RunOptions): Promise<ResultFile> {
  const startedAt = new Date();
  const state = await gitState(fileURLToPath(new URL("../", import.meta.url)));
  const progress = new Progress(cases, estimate);
  const rows = await runBench(cases, { ...options, progress });
  return {
    schema: 1,
    ...state,
    startedAt: startedAt.toISOString(),
    elapsedMs: Date.now() - startedAt.getTime(),
    machine: describeMachine(),
    seed: options.seed,
    profile: options.profile.name,
    complete: rows.length === cases.length,
    rows,
  };
}

/** What a case takes where no earlier run tells, by profile, in milliseconds. */
const usualMs: Readonly<Record<string, number>> = {
  tour: 650,
  quick: 900,
  publish: 1_100,
  all: 2_500,
  full: 20_000,
};

/** How long each case will take, from the committed run, or from what is usual. */
async function expectedTime(profile: string): Promise<Estimate> {
  const usual = usualMs[profile] ?? 1_000;
  const runs = await readRuns(published).catch(() => []);
  const known = new Map<string, number>();
  const committed = runs.at(-1);
  // Other profiles take more samples or fewer; what they wait for beyond that is the same.
  const difference = usual - (usualMs[committed?.profile ?? profile] ?? usual);
  for (const row of committed?.rows ?? []) {
    if (row.wallMs !== undefined) known.set(describeCase(row), row.wallMs + difference);
  }
  return (benchCase: BenchCase) => Math.max(100, known.get(describeCase(benchCase)) ?? usual);
}

/** Six digits of what was measured: clocks and machines tell no more. */
function round(_key: string, value: unknown): unknown {
  const isFraction = typeof value === "number" && !Number.isInteger(value);
  return isFraction ? Number(value.toPrecision(6)) : value;
}

/** A run's text: a row is a line, so that two results can be compared by eye and by `diff`. */
function serialize({ rows, ...head }: ResultFile): string {
  const lines = rows.map((row) => "  " + JSON.stringify(row, round)).join(",\n");
  const opening = JSON.stringify(head, null, 2).replace(/\n}$/, "");
  return `${opening},\n  "rows": [\n${lines}\n  ]\n}\n`;
}

/** Writes a run, or several as one, whole or not at all: a reader never sees half of one. */
async function writeResults(path: string, results: ResultFile | ResultFile[]): Promise<void> {
  const text = Array.isArray(results)
    ? `{"schema": 2, "runs": [\n${results.map(serialize).join(",\n")}]}\n`
    : serialize(results);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function who({ contestant, runtime, digest }: MeasuredRow): string {
  return `${contestant}/${runtime} (${digest})`;
}

/** One line for every row whose output differs from that of its peers: same workload and parameters. */
function digestDisagreements(rows: readonly Row[]): string[] {
  const peers = Map.groupBy(
    rows.filter(isMeasured).filter(({ contestant }) => contestant !== noopName),
    ({ workload, params }) => [workload, describeParams(params)].filter(Boolean).join(" "),
  );
  return [...peers].flatMap(([title, group]) => {
    // What most rows have, the earliest if several are as common, is taken for right.
    const [right, ...others] = [...Map.groupBy(group, ({ digest }) => digest).values()]
      .sort((one, other) => other.length - one.length);
    return others.flat().map((row) =>
      `${title}: outputs differ: ${who(row)} vs ${who(right![0]!)}`
    );
  });
}

/** What `--publish` needs besides what each run does. */
interface PublishOptions extends Omit<RunOptions, "seed" | "onWorkload"> {
  readonly runs: number;
  /** Where each run is kept as soon as it is done. */
  readonly folder: string;
  /** Where all of them end up together. */
  readonly out: string;
}

/** A run that already exists, whole and of the same cases and profile. */
async function readDone(
  path: string,
  { cases, profile }: PublishOptions,
): Promise<ResultFile | undefined> {
  const run = await readResultFile(path).catch(() => undefined);
  const wanted = cases.map(describeCase).sort().join("\n");
  const isSame = run !== undefined && run.complete && run.profile === profile.name &&
    run.rows.map(describeCase).sort().join("\n") === wanted;
  return isSame ? run : undefined;
}

/**
 * Measures several whole runs, each with the seed of its number, and writes them as one file. A run that is
 * done is kept: started again, only those that are missing are measured. Returns the exit code.
 */
async function publish(options: PublishOptions): Promise<number> {
  const { runs, folder, out, signal } = options;
  await mkdir(folder, { recursive: true });
  const done: ResultFile[] = [];
  for (let seed = 1; seed <= runs; seed++) {
    const path = join(folder, `run-${seed}.json`);
    const kept = await readDone(path, options);
    const run = kept ?? await measureRun({ ...options, seed });
    if (signal.aborted) break;
    if (kept === undefined) await writeResults(path, run);
    done.push(run);
    await writeResults(out, done);
    console.log(
      `run ${seed} of ${runs}: ${
        kept ? "there already" : `${Math.round(run.elapsedMs / 1000)} s`
      }, ` +
        `${
          run.rows.filter(isMeasured).length
        } of ${run.rows.length} cases measured; rows in ${path}`,
    );
  }
  const failures = done.flatMap((run) =>
    run.rows.flatMap((row) =>
      isMeasured(row) || row.refused
        ? []
        : [`seed ${run.seed}: failed: ${describeCase(row)}: ${row.error}`]
    )
  );
  const problems = [...failures, ...done.flatMap(({ rows }) => digestDisagreements(rows))];
  for (const line of new Set(problems)) console.error(line);
  console.log(`${done.length} of ${runs} runs in ${out}`);
  return problems.length > 0 || done.length < runs ? 1 : 0;
}

/** The tables of some rows: each workload's own, or the general ones; `verbose` adds the floor and the bars. */
function printTables(
  rows: readonly Row[],
  workloads: readonly Workload[],
  verbose: boolean,
): string {
  const own = workloads.filter(({ renderRows }) => renderRows !== undefined);
  const isGeneral = ({ workload }: Row) => !own.some(({ name }) => name === workload);
  return [
    renderTables(rows.filter(isGeneral), workloads, verbose),
    ...own.map(({ name, renderRows }) =>
      renderRows!(rows.filter(({ workload }) => workload === name))
    ),
  ].filter(Boolean).join("\n\n");
}

function listWorkload({ name, about, params, contestants, takesInput }: Workload): string {
  const parameters = Object.entries(params).map(([name, spec]) => {
    const values = spec.values.join(",");
    const quick = spec.quick ? `; quick: ${spec.quick.join(",")}` : "";
    return `  --param ${name}=${values}${quick}: ${spec.about}`;
  });
  const width = Math.max(0, ...contestants.map((contestant) => contestant.name.length));
  const lines = contestants.map(({ name, about, note, runtimes = runtimeNames }) => {
    const only = runtimes.length < runtimeNames.length ? ` (${runtimes.join(", ")} only)` : "";
    return `  ${name.padEnd(width)}  ${about}${only}${note === undefined ? "" : `; ${note}`}`;
  });
  const input = takesInput ? ["  --input FILE: another input than its own"] : [];
  return [`${name}: ${about}`, ...parameters, ...input, ...lines].join("\n");
}

/** Lists workloads for `--list`: their names, or in detail with their parameters and contestants. */
function listWorkloads(workloads: readonly Workload[], isDetailed: boolean): string {
  if (!isDetailed) {
    const width = Math.max(...workloads.map(({ name }) => name.length));
    return [
      ...workloads.map(({ name, about }) => `${name.padEnd(width)}  ${about}`),
      "",
      "Parameters and contestants: deno task bench --list --workload NAME",
    ].join("\n");
  }
  return workloads.map(listWorkload).join("\n\n");
}

const root = new URL("../", import.meta.url);
const latest = fileURLToPath(new URL("bench/results/latest.json", root));
const published = fileURLToPath(new URL("bench/results/published.json", root));

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
  const workloads = flags.workload ? known : known.filter(({ set }) => isInSet(amount, set));
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
  const usual = flags.publish ? published : latest;
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
  await writeResults(file, result);

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
    const claims = readClaims(await readFile(new URL("README.md", root), "utf8"));
    console.log(`\n${tourLegend(rows)}\n\n${tourSentences(rows, workloads, claims)}`);
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
