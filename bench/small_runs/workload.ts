import { defineWorkload } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { integerParam } from "../params/integer_param.ts";
import { contestants } from "./contestants.ts";
import type { RunSmall } from "./job.ts";

function prepare(run: RunSmall, { contestant, params }: CaseRequest): PreparedCase {
  const chunks = Array.from({ length: Number(params.chunks) }, (_, index) => index);
  const runs = Number(params.runs);
  let sum = -1;
  const job = {
    chunks,
    increment: (chunk: number) => chunk + 1,
    isOdd: (chunk: number) => chunk % 2 === 1,
    double: (chunk: number) => chunk * 2,
    take: (chunk: number) => {
      sum += chunk;
    },
  };
  const odds = Math.ceil(chunks.length / 2);
  return {
    isSlowToWarm: true,
    async run() {
      sum = 0;
      for (let count = 0; count < runs; count++) await run(job);
    },
    async verify() {
      // The first n odd numbers come to n².
      const expected = runs * 2 * odds ** 2;
      if (sum !== expected) {
        throw new Error(`Cannot accept ${contestant}: a sum of ${sum}, not ${expected}`);
      }
      return await Promise.resolve({ chunks: runs * chunks.length, bytes: 0, digest: `${sum}` });
    },
    dispose: () => Promise.resolve(),
  };
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
    { dividend: { contestant: "pipeline" }, divisor: { contestant: "rxjs" }, atMost: 1.2 },
    {
      dividend: { contestant: "pipeline" },
      divisor: { contestant: "async-generators" },
      atMost: 1.2,
    },
  ],
  contestants,
  prepare,
});
