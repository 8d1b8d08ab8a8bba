import { contestants } from "./contestants.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { integerParam } from "../params/integer_param.ts";
import { TimerWatch } from "./timer_watch.ts";

const timerMs = 20;

const tenths = (value: number) => Math.round(value * 10) / 10;

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const run = await findContestant("turns", contestants, contestant).load();
  const durationMs = Number(params.durationMs);
  let taken = 0;
  let misplaced = 0;
  let watch: TimerWatch | undefined;
  return {
    isTimeGiven: true,
    async run() {
      taken = 0;
      misplaced = 0;
      watch = new TimerWatch(timerMs);
      try {
        const take = (chunk: number) => {
          if (chunk !== taken++) misplaced++;
        };
        await run({ endMs: performance.now() + durationMs, take });
      } finally {
        watch.stop();
      }
    },
    async verify() {
      if (watch === undefined || taken === 0 || misplaced > 0) {
        throw new Error(`Cannot accept ${contestant}: ${misplaced} of ${taken} out of order`);
      }
      const { longestWaitMs, cpuInWaitMs, firings } = watch;
      return await Promise.resolve({
        chunks: taken,
        bytes: 0,
        digest: "in order",
        extra: { longestWaitMs: tenths(longestWaitMs), cpuInWaitMs: tenths(cpuInWaitMs), firings },
      });
    },
    dispose: () => Promise.resolve(),
  };
}

/** A pipeline that never has to wait: whether timers get their turn anyway. */
export const turns: Workload = {
  name: "turns",
  about: `a synchronous pipeline; a timer of ${timerMs} ms should never wait longer than 50 ms`,
  params: {
    durationMs: integerParam("durationMs", {
      about: "how long the pipeline works",
      maximum: 600_000,
      values: [3_000],
      quick: [500],
      full: [60_000],
    }),
  },
  contestants: contestants.map(({ load: _, ...entry }) => entry),
  whyNoControl: "how long it takes is a parameter; what counts is how long a timer waits",
  rates: ["ns per chunk"],
  prepare,
};
