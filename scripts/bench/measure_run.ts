import process from "node:process";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "../../bench/measure/bench_case.ts";
import type { Profile } from "../../bench/measure/profile.ts";
import { type Estimate, Progress } from "../../bench/measure/progress.ts";
import { runBench } from "../../bench/measure/run_bench.ts";
import { describeMachine } from "../../bench/results/describe_machine.ts";
import { gitState } from "../../bench/results/git_state.ts";
import type { ResultFile, Row } from "../../bench/results/result.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";

/** What one whole run needs. */
export interface RunOptions {
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
export async function measureRun({ cases, estimate, ...options }: RunOptions): Promise<ResultFile> {
  const startedAt = new Date();
  const state = await gitState(fileURLToPath(new URL("../../", import.meta.url)));
  const progress = new Progress(process.stderr, cases.length, cases, estimate);
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
