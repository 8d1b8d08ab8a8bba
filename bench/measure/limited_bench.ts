import { type B, bench, measure } from "mitata";
import { type Profile, tierOf } from "./profile.ts";
import { CaseClock } from "./case_clock.ts";
import type { PreparedCase } from "./workload.ts";

/** A mitata benchmark's result, which mitata itself prints. */
type Trial = Awaited<ReturnType<B["run"]>>;

/**
 * Adds a case to mitata's current group. mitata wants a dozen samples of everything; a case whose
 * first iteration was slow gets the few that its profile grants.
 */
export function limitedBench(
  name: string,
  prepared: PreparedCase,
  firstRunMs: number,
  profile: Profile,
): void {
  const clock = new CaseClock(prepared);
  const run = () => clock.run();
  const trial = bench(name, run).gc(false);
  const { overMs, samples } = tierOf(profile, firstRunMs);
  // mitata asks no clock but its own, except where it is called like this.
  if (overMs === 0 && !prepared.isTimeGiven && prepared.reset === undefined) return;
  const count = prepared.isTimeGiven ? 1 : Math.max(1, samples);
  let isWarmUp = true;
  const fewRuns = async () => {
    if (isWarmUp) isWarmUp = false;
    else await run();
  };
  trial.run = async (): Promise<Trial> => {
    const stats = await measure(fewRuns, {
      gc: false,
      ...clock.options,
      min_samples: count,
      max_samples: count,
      min_cpu_time: 0,
      warmup_threshold: -1,
      samples_threshold: Infinity,
    });
    return {
      kind: "static",
      args: {},
      alias: name,
      // mitata finds the trial's summary by its group, which its types do not mention.
      ...{ group: (trial as unknown as { _group: number })._group },
      baseline: false,
      runs: [{ stats, error: undefined, args: {}, name }],
      style: { compact: false, highlight: false },
    };
  };
}
