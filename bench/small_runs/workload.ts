import { bar } from "../tables/bar.ts";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { Step } from "../chains/job.ts";
import { sumCase } from "../measure/sum_case.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants, type RunSmall } from "./contestants.ts";

function prepare(run: RunSmall, { params }: CaseRequest): PreparedCase {
  const chunks = Array.from({ length: Number(params.chunks) }, (_, index) => index);
  const runs = Number(params.runs);
  const increment = (chunk: number) => chunk + 1;
  const isOdd = (chunk: number) => chunk % 2 === 1;
  const double = (chunk: number) => chunk * 2;
  const steps: Step[] = [
    { kind: "map", fn: increment },
    { kind: "filter", fn: isOdd },
    { kind: "map", fn: double },
  ];
  const odds = Math.ceil(chunks.length / 2);
  // The first n odd numbers come to n².
  const prepared = sumCase(runs * odds, runs * 2 * odds ** 2, async (take) => {
    const job = { chunks, increment, isOdd, double, steps, take };
    for (let count = 0; count < runs; count++) await run(job);
  });
  return { ...prepared, isSlowToWarm: true };
}

/** Many short jobs: what making and ending a run costs. */
export const smallRuns: Workload = defineWorkload({
  name: "small_runs",
  about: "an array of a few numbers through three stages, built and drained many times",
  set: "tour",
  params: {
    chunks: integerParam("chunks", {
      about: "numbers in each run",
      values: [10],
      publish: [10],
      full: [1, 10, 100],
    }),
    runs: integerParam("runs", {
      about: "runs, one after the other",
      values: [10_000],
      quick: [1_000],
      tour: [10_000],
    }),
  },
  bars: [
    bar("pipeline", "rxjs", { atMost: 1.2 }),
    bar("pipeline", "async-generators", { atMost: 1.2 }),
  ],
  contestants,
  prepare,
});
