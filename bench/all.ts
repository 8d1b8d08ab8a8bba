/** Measures every workload in this process and runtime alone, with mitata's own output. */
import process from "node:process";
import { parseArgs } from "node:util";
import { type B, bench, group, measure, run, summary } from "mitata";
import type { BenchCase, PreparedCase, Workload } from "./measure/workload.ts";
import { currentRuntime } from "../runtimes/current_runtime.ts";
import { describeParams, noopName } from "./results/result.ts";
import { noop } from "./measure/noop.ts";
import { type Profile, profiles, tierOf } from "./measure/profile.ts";
import { selectCases } from "./measure/select_cases.ts";
import type { Registry } from "./measure/registry.ts";
import { hideSecrets } from "../scenarios/secrets/hide_secrets.ts";
import { workloads } from "./workloads.ts";
import { CaseClock } from "./measure/measure_case.ts";

/** A mitata benchmark's result, which mitata itself prints. */
type Trial = Awaited<ReturnType<B["run"]>>;

/**
 * Adds a case to mitata's current group. mitata wants a dozen samples of everything; a case whose
 * first iteration was slow gets the few that its profile grants.
 */
function limitedBench(
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

const help = `Measures every workload in the runtime that executes this file.

Usage: bench/all.ts [--workload W,…] [--contestant C,…] [--quick] [--help]`;

class UsageError extends Error {}

interface Ready {
  readonly benchCase: BenchCase;
  readonly prepared: PreparedCase;
  firstRunMs: number;
}

async function readFlags(args: readonly string[], registry: Registry) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        workload: { type: "string" },
        contestant: { type: "string" },
        quick: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    const names = values.workload?.split(",") ?? Object.keys(registry);
    const unknown = names.find((name) => !Object.hasOwn(registry, name));
    if (unknown !== undefined) {
      const known = Object.keys(registry).join(", ");
      throw new RangeError(`--workload must be one of ${known}, got ${unknown}`);
    }
    const workloads = await Promise.all(names.map((name) => registry[name]!()));
    const profile = values.quick ? profiles.quick : profiles.all;
    const cases = selectCases({
      workloads,
      runtimes: [currentRuntime().name],
      contestants: values.contestant?.split(","),
      params: [],
      values: values.quick ? "quick" : "all",
    });
    return { help: values.help === true, profile, workloads, cases };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Leaves out the cases that need a flag this process was started without, and says so. */
function withoutFlagged(cases: readonly BenchCase[]): BenchCase[] {
  const missing = new Map<string, string>();
  const possible = cases.filter(({ contestant, nodeFlags }) => {
    const flag = nodeFlags.find((flag) => !process.execArgv.includes(flag));
    if (flag !== undefined) missing.set(contestant, flag);
    return flag === undefined;
  });
  for (const [contestant, flag] of missing) console.error(`left out ${contestant}: needs ${flag}`);
  return possible;
}

/** Each case's first iteration is checked before any is timed. */
async function prepareCases(
  workload: Workload,
  cases: readonly BenchCase[],
  ready: Ready[],
): Promise<void> {
  await workload.prepareInput?.();
  const digests = new Map<string, { who: string; digest: string }>();
  for (const benchCase of cases) {
    if (benchCase.workload !== workload.name || benchCase.contestant === noopName) continue;
    const prepared = await workload.prepare(benchCase);
    const one = { benchCase, prepared, firstRunMs: 0 };
    ready.push(one);
    const start = performance.now();
    await prepared.run();
    one.firstRunMs = performance.now() - start;
    const { digest } = await prepared.verify();
    const title = describeParams(benchCase.params);
    const first = digests.get(title) ?? { who: benchCase.contestant, digest };
    digests.set(title, first);
    if (digest !== first.digest) {
      throw new Error(
        `${workload.name} ${title}: outputs differ: ` +
          `${benchCase.contestant} (${digest}) vs ${first.who} (${first.digest})`,
      );
    }
  }
}

/** Runs everything that the arguments choose; returns the exit code. */
export async function benchAll(args: readonly string[], registry: Registry): Promise<number> {
  const ready: Ready[] = [];
  try {
    const flags = await readFlags(args, registry);
    if (flags.help) {
      console.log(help);
      return 0;
    }
    const cases = withoutFlagged(flags.cases);
    for (const workload of flags.workloads) await prepareCases(workload, cases, ready);
    const groups = Map.groupBy(
      ready,
      ({ benchCase }) => `${benchCase.workload} ${describeParams(benchCase.params)}`,
    );
    for (const [title, members] of groups) {
      // Outside the summary, which would compare all with it.
      group(`${title}: the floor`, () => bench(noopName, () => noop.run()));
      group(title, () =>
        summary(() => {
          for (const { benchCase, prepared, firstRunMs } of members) {
            limitedBench(benchCase.contestant, prepared, firstRunMs, flags.profile);
          }
        }));
    }
    await run({ throw: true, colors: process.stdout.isTTY === true && !process.env.NO_COLOR });
    return 0;
  } catch (error) {
    console.error(hideSecrets(error instanceof Error ? error.message : String(error)));
    return error instanceof UsageError ? 2 : 1;
  } finally {
    for (const { prepared } of ready) await prepared.dispose();
  }
}

if (import.meta.main) process.exitCode = await benchAll(process.argv.slice(2), workloads);
