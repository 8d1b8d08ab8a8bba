import { contestants } from "./contestants.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { integerParam } from "../params/integer_param.ts";

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const run = await findContestant("probe_cost", contestants, contestant).load();
  const [count, highWaterMark] = [Number(params.count), Number(params.highWaterMark)];
  let taken = 0;
  let misplaced = 0;
  const take = (chunk: number): void => {
    if (chunk !== taken++) misplaced++;
  };
  return {
    async run() {
      taken = misplaced = 0;
      await run({ count, highWaterMark, take });
    },
    verify() {
      if (taken !== count || misplaced > 0) {
        throw new Error(
          `Cannot accept ${contestant}: ${taken} of ${count}, ${misplaced} misplaced`,
        );
      }
      return Promise.resolve({ chunks: count, bytes: 0, digest: `${count} in order` });
    },
    dispose: () => Promise.resolve(),
  };
}

/** What it costs to look: a native chain with and without a probe. */
export const probeCost: Workload = {
  name: "probe_cost",
  about: "numbers through a native source, stage and sink, with and without a probe",
  params: {
    count: integerParam("count", {
      about: "how many chunks",
      maximum: 100_000_000,
      values: [100_000],
      quick: [20_000],
    }),
    highWaterMark: integerParam("highWaterMark", {
      about: "of every buffer, in chunks",
      maximum: 1000,
      values: [1, 16],
      quick: [16],
    }),
  },
  contestants: contestants.map(({ load: _, ...entry }) => entry),
  rates: ["ns per chunk"],
  bars: [{
    dividend: { contestant: "probed" },
    divisor: { contestant: "web" },
    atMost: 2,
  }],
  prepare,
};
