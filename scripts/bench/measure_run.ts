import process from "node:process";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "../../bench/measure/bench_case.ts";
import type { Profile } from "../../bench/measure/profile.ts";
import { type Estimate, Progress } from "../../bench/measure/progress.ts";
import { runBench } from "../../bench/measure/run_bench.ts";
import type { Machine, ResultFile, Row } from "../../bench/results/result.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** What was measured: a commit, and whether tracked files differ from it; nulls outside git. */
async function gitState(
  cwd: string,
): Promise<{ commit: string | null; dirty: boolean | null }> {
  try {
    const commit = await execute("git", ["rev-parse", "HEAD"], { cwd });
    const status = await execute("git", ["status", "--porcelain", "--untracked-files=no"], { cwd });
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
