import { contestants, type Schedule } from "./contestants.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { integerParam } from "../params/integer_param.ts";

const rounds = 10;

/** Has a chain of tasks called, each scheduled by the one before; `visit` is called for each. */
function callChain(schedule: Schedule, length: number, visit: () => void): Promise<void> {
  return new Promise((resolve) => {
    let left = length;
    const task = () => {
      visit();
      if (--left === 0) resolve();
      else schedule(task);
    };
    schedule(task);
  });
}

function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const { schedule } = findContestant("scheduling", contestants, contestant);
  const chain = Number(params.chain);
  let calls = 0;
  const visit = () => {
    calls++;
  };
  return Promise.resolve({
    async run() {
      calls = 0;
      for (let round = 0; round < rounds; round++) await callChain(schedule, chain, visit);
    },
    async verify() {
      if (calls !== rounds * chain) {
        throw new Error(`Cannot accept ${contestant}: ${calls} of ${rounds * chain} calls`);
      }
      return await Promise.resolve({ chunks: rounds, bytes: 0, digest: `${calls} calls` });
    },
    dispose: () => Promise.resolve(),
  });
}

/** Tasks that schedule one another: what a chunk that has to wait costs before any stream. */
export const scheduling: Workload = {
  name: "scheduling",
  about: `${rounds} times, a chain of tasks, each scheduled by the one before`,
  params: {
    chain: integerParam("chain", {
      about: "tasks in a chain",
      minimum: 1,
      maximum: 100_000,
      values: [1, 10],
      quick: [10],
      full: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    }),
  },
  contestants: contestants.map(({ schedule: _, ...entry }) => entry),
  rates: ["ns per chunk"],
  prepare,
};
