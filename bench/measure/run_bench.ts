import type { BenchCase } from "./bench_case.ts";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { describeCase } from "../results/describe_case.ts";
import { calmerRow, casesToRemeasure, type MeasuredCase } from "./remeasure.ts";
import { allowanceMs } from "./profile.ts";
import type { Progress } from "./progress.ts";
import type { Row } from "../results/result.ts";
import { type CaseProcessOptions, runCaseProcess } from "./run_case_process.ts";
import { seededRandom } from "../results/seeded_random.ts";
import { shuffle } from "./shuffle.ts";

/** What a run of the bench needs. */
export interface RunBenchOptions extends Omit<CaseProcessOptions, "allowanceMs"> {
  readonly runtimes: readonly Runtime[];
  readonly seed: number;
  readonly progress: Progress;
}

/**
 * Runs cases one after the other, each in its own process, in an order drawn from the seed; then, while
 * the profile has time for it, those whose samples disagree once more. Aborted, it returns the rows
 * measured so far.
 */
export async function runBench(
  cases: readonly BenchCase[],
  { runtimes, seed, progress, ...options }: RunBenchOptions,
): Promise<Row[]> {
  const commands = new Map<RuntimeName, Runtime>();
  for (const runtime of runtimes) commands.set(runtime.name, runtime);

  const measure = async (benchCase: BenchCase, allowanceMs: number): Promise<Row | undefined> => {
    progress.begin(describeCase(benchCase));
    const command = commands.get(benchCase.runtime)!;
    const row = await runCaseProcess(benchCase, command, { ...options, allowanceMs });
    if (row !== undefined) progress.end();
    return row;
  };

  const { profile, signal } = options;
  const measured: MeasuredCase[] = [];
  const startedAtMs = performance.now();
  for (const benchCase of shuffle(cases, seededRandom(seed))) {
    const elapsedMs = performance.now() - startedAtMs;
    const row = await measure(
      benchCase,
      allowanceMs(profile, elapsedMs, cases.length - measured.length),
    );
    if (row === undefined) break;
    measured.push({ benchCase, row });
  }

  const second = new Map<BenchCase, Row>();
  const unsettled = signal?.aborted ? [] : casesToRemeasure(measured);
  const endAtMs = performance.now() + (profile.remeasureMs ?? 0);
  for (const { benchCase, row } of unsettled) {
    if (performance.now() >= endAtMs) break;
    progress.expect(1);
    const again = await measure(benchCase, endAtMs - performance.now());
    if (again === undefined) break;
    second.set(benchCase, calmerRow(row, again));
  }
  progress.clear();
  return measured.map(({ benchCase, row }) => second.get(benchCase) ?? row);
}
