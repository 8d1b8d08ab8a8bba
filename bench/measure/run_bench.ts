import type { BenchCase } from "./workload.ts";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { describeCase, isMeasured, type Row } from "../results/result.ts";
import { allowanceMs, type Profile } from "./profile.ts";
import type { Progress } from "./progress.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { shuffle } from "./shuffle.ts";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CaseProcessAnswer, CaseProcessRequest } from "./case_request.ts";
import { commandOf } from "../../runtimes/descriptors.ts";
import { type ProcessResult, runProcess } from "../../runtimes/run_process.ts";

/** How a case is run. */
export interface CaseProcessOptions {
  readonly profile: Profile;
  /** How long a case may take samples after its first iteration. */
  readonly allowanceMs: number;
  readonly registryUrl: string;
  /** Kills the process; the case then has no row. */
  readonly signal?: AbortSignal;
}

const entry = fileURLToPath(new URL("./run_case.ts", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));

/** The line that says what happened: the last that mentions an error, or the last. */
function tellingLine(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.findLast((line) => /error|fatal|panic/i.test(line)) ?? lines.at(-1) ?? "no message";
}

/** The exit code, the signal, or the error that kept the process from starting. */
function describeEnd({ code, signal, startError }: ProcessResult): string {
  return startError ? `cannot start: ${startError.message}` : signal ?? `exit ${code}`;
}

/** Runs one case in a fresh process; a crash or a timeout is a row too. Undefined if aborted. */
export async function runCaseProcess(
  benchCase: BenchCase,
  runtime: Runtime,
  { profile, allowanceMs, registryUrl, signal }: CaseProcessOptions,
): Promise<Row | undefined> {
  if (signal?.aborted) return undefined;
  const { nodeFlags, denoV8Flags, environment, ...request } = benchCase;
  const identity = {
    workload: benchCase.workload,
    contestant: benchCase.contestant,
    runtime: runtime.name,
    runtimeVersion: runtime.version,
    params: benchCase.params,
  };
  // The case's temporary files live and die with this folder, however the process ends.
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-case-"));
  const answerFile = join(folder, "answer.json");
  try {
    const fullRequest: CaseProcessRequest = {
      ...request,
      profile,
      allowanceMs,
      registryUrl,
      answerFile,
    };
    const flags = runtime.name === "node" ? nodeFlags : [];
    const [command, ...args] = commandOf(runtime, entry, [JSON.stringify(fullRequest)], flags);
    const result = await runProcess(command, args, {
      cwd: root,
      env: {
        ...environment,
        ...{ TMPDIR: folder, TMP: folder, TEMP: folder, NO_COLOR: "1" },
        ...(denoV8Flags ? { DENO_V8_FLAGS: denoV8Flags.join(",") } : {}),
      },
      timeoutMs: profile.timeoutMs,
      maxCharacters: 64 * 1024,
      signal,
    });
    const end = describeEnd(result);
    if (signal?.aborted) return undefined;
    if (result.timedOut) {
      return { ...identity, error: `timed out after ${profile.timeoutMs / 1000} s` };
    }
    if (end !== "exit 0") {
      return { ...identity, error: `crashed: ${end}: ${tellingLine(result.stderr)}` };
    }
    const answer = await readFile(answerFile, "utf8").catch(() => undefined);
    if (answer === undefined) return { ...identity, error: "crashed: exit 0: gave no answer" };
    const { runtimeVersion, measurement, refusal }: CaseProcessAnswer = JSON.parse(answer);
    if (measurement === undefined) {
      return { ...identity, runtimeVersion, error: refusal ?? "gave no answer", refused: true };
    }
    return { ...identity, runtimeVersion, ...measurement };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Shorter iterations differ by themselves, on the calmest of machines. */
const longEnoughMs = 1;

/**
 * How far a row's samples disagree: what lies between its quartiles, as a fraction of its median. 0 of what
 * was not measured, or is too short to tell by.
 */
function relativeSpread(row: Row): number {
  if (!isMeasured(row) || row.median < longEnoughMs) return 0;
  return (row.p75 - row.p25) / row.median;
}

/** Samples that differ by more show a machine that had other things to do. */
const tooMuch = 0.15;

/** A case and what was measured of it. */
interface MeasuredCase {
  readonly benchCase: BenchCase;
  readonly row: Row;
}

/** The cases that a second measurement may better, worst first. */
function casesToRemeasure(measured: readonly MeasuredCase[]): MeasuredCase[] {
  return measured.filter(({ row }) => relativeSpread(row) > tooMuch)
    .sort((one, other) => relativeSpread(other.row) - relativeSpread(one.row));
}

/** Which of two measurements of a case counts: the less noisy, never the faster as such; a failure in any case. */
function calmerRow(first: Row, second: Row): Row {
  if (!isMeasured(second)) return second;
  const calmer = isMeasured(first) && relativeSpread(first) <= relativeSpread(second)
    ? first
    : second;
  return { ...calmer, timesMeasured: 2 };
}

/** What a run of the bench needs. */
export interface RunBenchOptions extends Omit<CaseProcessOptions, "allowanceMs"> {
  readonly runtimes: readonly Runtime[];
  readonly seed: number;
  readonly progress: Progress;
  /** Called with a workload's rows as soon as all of them are there, or the run was aborted. */
  onWorkload?(rows: readonly Row[]): void;
}

/**
 * Runs cases one after the other, each in its own process, workload by workload, within one in an order drawn
 * from the seed; then, while the profile has time for it, those whose samples disagree once more. Aborted, or at
 * the profile's limit, it returns the rows measured so far.
 */
export async function runBench(
  cases: readonly BenchCase[],
  { runtimes, seed, progress, onWorkload, ...given }: RunBenchOptions,
): Promise<Row[]> {
  const limit = new AbortController();
  const signal = AbortSignal.any([
    limit.signal,
    ...given.signal === undefined ? [] : [given.signal],
  ]);
  const options = { ...given, signal };
  const { limitMs } = given.profile;
  const timer = limitMs === undefined ? undefined : setTimeout(() => limit.abort(), limitMs);
  const commands = new Map<RuntimeName, Runtime>();
  for (const runtime of runtimes) commands.set(runtime.name, runtime);

  const measure = async (benchCase: BenchCase, allowanceMs: number): Promise<Row | undefined> => {
    progress.begin(describeCase(benchCase));
    const command = commands.get(benchCase.runtime)!;
    const startedAtMs = performance.now();
    const row = await runCaseProcess(benchCase, command, { ...options, allowanceMs });
    if (row === undefined) return undefined;
    progress.end(benchCase);
    return { ...row, wallMs: Math.round(performance.now() - startedAtMs) };
  };

  const { profile } = options;
  const random = seededRandom(seed);
  const startedAtMs = performance.now();
  const all: Row[] = [];
  try {
    for (const group of Map.groupBy(cases, ({ workload }) => workload).values()) {
      const measured: MeasuredCase[] = [];
      for (const benchCase of shuffle(group, random)) {
        const elapsedMs = performance.now() - startedAtMs;
        const casesLeft = cases.length - all.length - measured.length;
        const row = await measure(benchCase, allowanceMs(profile, elapsedMs, casesLeft));
        if (row === undefined) break;
        measured.push({ benchCase, row });
      }
      const second = new Map<BenchCase, Row>();
      const unsettled = signal.aborted ? [] : casesToRemeasure(measured);
      const shareMs = (profile.remeasureMs ?? 0) * group.length / cases.length;
      const endAtMs = performance.now() + shareMs;
      for (const { benchCase, row } of unsettled) {
        if (performance.now() >= endAtMs) break;
        progress.expect(1);
        const again = await measure(benchCase, endAtMs - performance.now());
        if (again === undefined) break;
        second.set(benchCase, calmerRow(row, again));
      }
      progress.clear();
      const rows = measured.map(({ benchCase, row }) => second.get(benchCase) ?? row);
      all.push(...rows);
      onWorkload?.(rows);
      if (signal.aborted) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return all;
}
