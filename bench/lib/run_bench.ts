import type { BenchCase } from "./bench_case.ts";
import type { RuntimeName } from "./current_runtime.ts";
import { describeCase } from "./describe_case.ts";
import { allowanceMs } from "./profile.ts";
import type { Progress } from "./progress.ts";
import type { Row } from "./result.ts";
import {
  type CaseProcessOptions,
  runCaseProcess,
  type RuntimeCommand,
} from "./run_case_process.ts";
import { seededRandom } from "./seeded_random.ts";
import { shuffle } from "./shuffle.ts";

/** What a run of the bench needs. */
export interface RunBenchOptions extends Omit<CaseProcessOptions, "allowanceMs"> {
  readonly runtimes: readonly RuntimeCommand[];
  readonly seed: number;
  readonly progress: Progress;
}

/**
 * Runs cases one after the other, each in its own process, in an order drawn from the seed. Aborted,
 * it returns the rows measured so far.
 */
export async function runBench(
  cases: readonly BenchCase[],
  { runtimes, seed, progress, ...options }: RunBenchOptions,
): Promise<Row[]> {
  const commands = new Map<RuntimeName, RuntimeCommand>();
  for (const runtime of runtimes) commands.set(runtime.name, runtime);
  const rows: Row[] = [];
  const startedAt = performance.now();
  for (const benchCase of shuffle(cases, seededRandom(seed))) {
    progress.begin(describeCase(benchCase));
    const casesLeft = cases.length - rows.length;
    const row = await runCaseProcess(benchCase, commands.get(benchCase.runtime)!, {
      ...options,
      allowanceMs: allowanceMs(options.profile, performance.now() - startedAt, casesLeft),
    });
    if (row === undefined) break;
    rows.push(row);
    progress.end();
  }
  progress.clear();
  return rows;
}
