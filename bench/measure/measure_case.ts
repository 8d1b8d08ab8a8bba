import { measure } from "mitata";
import { type Profile, samplesOf, type Tier, tierOf, warmUpMsOf } from "./profile.ts";
import type { Measurement } from "../results/result.ts";
import { quartiles } from "../results/statistics.ts";
import type { PreparedCase } from "./workload.ts";
import process from "node:process";
import { readFileSync } from "node:fs";

/**
 * The most memory this process ever held, in MiB. On Linux it is the kernel's high-water mark of
 * the process; `maxRSS`, asked elsewhere, would there include what the spawning process held.
 */
export function peakRssMiB(): number {
  if (process.platform === "linux") {
    const status = readFileSync("/proc/self/status", "utf8");
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kibibytes !== undefined) return Number(kibibytes) / 1024;
  }
  return process.resourceUsage().maxRSS / 1024;
}

/** Runs a case again and again. What makes it ready for a run costs nothing by this clock. */
class CaseClock {
  readonly #prepared: PreparedCase;
  #pausedMs = 0;
  #pausedCpuMs = 0;

  constructor(prepared: PreparedCase) {
    this.#prepared = prepared;
  }

  /** What mitata is asked to go by; nothing where its own clock will do, which is finer. */
  get options(): { now?: () => number } {
    if (this.#prepared.reset === undefined) return {};
    return { now: () => (performance.now() - this.#pausedMs) * 1e6 };
  }

  /** CPU time of this process, in milliseconds. */
  get cpuMs(): number {
    return cpuMsOfProcess() - this.#pausedCpuMs;
  }

  /** Makes the case ready and runs it. */
  run(): Promise<void> {
    return this.#prepared.reset === undefined ? this.#prepared.run() : this.#resetAndRun();
  }

  async #resetAndRun(): Promise<void> {
    const startedAtMs = performance.now();
    const cpuBeforeMs = cpuMsOfProcess();
    await this.#prepared.reset!();
    this.#pausedMs += performance.now() - startedAtMs;
    this.#pausedCpuMs += cpuMsOfProcess() - cpuBeforeMs;
    await this.#prepared.run();
  }
}

function cpuMsOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The smallest step that a clock was seen to make, in the clock's own unit. */
function timerTick(now: () => number, readings = 20_000): number {
  let smallest = Infinity;
  let previous = now();
  for (let reading = 0; reading < readings || smallest === Infinity; reading++) {
    const current = now();
    if (current > previous) smallest = Math.min(smallest, current - previous);
    previous = current;
  }
  return smallest;
}

/** A first iteration longer than this is no matter for mitata's own warm-up and batching. */
const briefMs = 5;

/** The time of another iteration would be the same, since it is a parameter. */
const onlyOnce: Tier = { overMs: 0, samples: 0, firstRunCounts: true };

/** Has mitata take samples, in nanoseconds; whether they are averages is left to it in brief cases. */
function sample(clock: CaseClock, sampleMs: number, samples: number, isBrief: boolean) {
  // mitata throws its first call away; a case that is already warm need not pay for that.
  let isWarmUp = !isBrief;
  return measure(
    async () => {
      if (isWarmUp) isWarmUp = false;
      else await clock.run();
    },
    {
      // Without a runtime flag mitata would allocate a GiB to provoke a collection.
      gc: false,
      ...clock.options,
      min_cpu_time: sampleMs * 1e6,
      min_samples: samples,
      max_samples: 200,
      // Otherwise mitata drops the outermost samples.
      samples_threshold: Infinity,
      ...(isBrief ? {} : { warmup_threshold: -1 }),
    },
  );
}

/**
 * Measures a prepared case in this process: one iteration whose output is checked, then as many as
 * the profile asks for and the allowance for them permits, then a second check.
 *
 * @throws {Error} If the second check finds another output than the first.
 */
export async function measureCase(
  prepared: PreparedCase,
  profile: Profile,
  allowanceMs = Infinity,
): Promise<Measurement> {
  const timerTickMs = timerTick(() => performance.now());

  const clock = new CaseClock(prepared);
  const cpuAtStartMs = clock.cpuMs;
  const firstStart = performance.now();
  await prepared.run();
  const firstRunMs = performance.now() - firstStart;
  const firstCpuMs = clock.cpuMs - cpuAtStartMs;
  const first = await prepared.verify();

  const warmUpMs = warmUpMsOf(profile, firstRunMs, prepared.isSlowToWarm);
  if (!prepared.isTimeGiven) {
    while (performance.now() - firstStart < warmUpMs) await clock.run();
  }
  const tier = prepared.isTimeGiven ? onlyOnce : tierOf(profile, firstRunMs);
  const wanted = samplesOf(tier, firstRunMs, allowanceMs);
  const cpuAtRestMs = clock.cpuMs;
  const rest = wanted === 0
    ? { samples: [], ticks: 0 }
    : await sample(clock, profile.sampleMs, wanted, firstRunMs <= briefMs);
  const restCpuMs = clock.cpuMs - cpuAtRestMs;
  const peak = peakRssMiB();

  const last = await prepared.verify();
  if (last.digest !== first.digest) {
    throw new Error(`the output changed between iterations: ${first.digest} became ${last.digest}`);
  }

  const samples = rest.samples.map((nanoseconds) => nanoseconds / 1e6);
  if (tier.firstRunCounts) samples.push(firstRunMs);
  samples.sort((one, other) => one - other);
  return {
    ...last,
    unit: "ms",
    samples,
    ...quartiles(samples),
    iterationsPerSample: wanted === 0 ? 1 : rest.ticks / rest.samples.length,
    firstRunCounted: tier.firstRunCounts,
    timerTickMs,
    cpuMs: tier.firstRunCounts
      ? (firstCpuMs + restCpuMs) / (rest.ticks + 1)
      : restCpuMs / rest.ticks,
    peakRssMiB: peak,
  };
}
