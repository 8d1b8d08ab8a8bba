import { fileURLToPath } from "node:url";
import type { BenchCase } from "../../bench/measure/bench_case.ts";
import type { Estimate } from "../../bench/measure/progress.ts";
import { describeCase } from "../../bench/results/describe_case.ts";
import { readRuns } from "../../bench/results/read_result_file.ts";

/** What a case takes where no earlier run tells, by profile, in milliseconds. */
const usualMs: Readonly<Record<string, number>> = {
  tour: 650,
  quick: 900,
  publish: 1_100,
  sweeps: 750,
  all: 2_500,
  full: 20_000,
};

/** How long each case will take, from the committed run, or from what is usual. */
export async function expectedTime(profile: string): Promise<Estimate> {
  const name = profile === "sweeps" ? "sweeps.json" : "published.json";
  const path = fileURLToPath(new URL(`../../bench/results/${name}`, import.meta.url));
  const usual = usualMs[profile] ?? 1_000;
  const runs = await readRuns(path).catch(() => []);
  const known = new Map<string, number>();
  const committed = runs.at(-1);
  // Other profiles take more samples or fewer; what they wait for beyond that is the same.
  const difference = usual - (usualMs[committed?.profile ?? profile] ?? usual);
  for (const row of committed?.rows ?? []) {
    if (row.wallMs !== undefined) known.set(describeCase(row), row.wallMs + difference);
  }
  return (benchCase: BenchCase) => Math.max(100, known.get(describeCase(benchCase)) ?? usual);
}
