import { contestants } from "./contestants.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { integerParam } from "../params/integer_param.ts";

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const run = await findContestant("overlap", contestants, contestant).load();
  const [count, delayMs] = [Number(params.count), Number(params.delayMs)];
  let taken: number[] = [];
  let inFlight = 0;
  let maxInFlight = 0;
  const wait = (chunk: number) =>
    new Promise<number>((resolve) => {
      maxInFlight = Math.max(maxInFlight, ++inFlight);
      setTimeout(() => {
        inFlight--;
        resolve(chunk);
      }, delayMs);
    });
  return {
    async run() {
      taken = [];
      maxInFlight = 0;
      await run({ count, wait, take: (chunk) => void taken.push(chunk) });
    },
    async verify() {
      if (taken.length !== count || taken.some((chunk, index) => chunk !== index)) {
        throw new Error(
          `Cannot accept ${contestant}: ${taken.length} of ${count}, or out of order`,
        );
      }
      return await Promise.resolve({
        chunks: count,
        bytes: 0,
        digest: `${count} in order`,
        extra: { maxInFlight },
      });
    },
    dispose: () => Promise.resolve(),
  };
}

/** Two stages that wait: whether the second works on a chunk while the first has the next. */
export const overlap: Workload = {
  name: "overlap",
  about: "numbers through two stages that each wait, in order",
  params: {
    count: integerParam("count", {
      about: "how many chunks",
      maximum: 100_000,
      values: [40],
      quick: [20],
      full: [200],
    }),
    delayMs: integerParam("delayMs", {
      about: "how long a stage waits for each chunk",
      maximum: 10_000,
      values: [5],
    }),
  },
  contestants: contestants.map(({ load: _, ...entry }) => entry),
  bars: [{
    dividend: { contestant: "fuse" },
    divisor: { contestant: "web" },
    atMost: 1.1,
  }],
  prepare,
};
