import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { measureCase } from "../../../bench/measure/measure_case.ts";
import { noop } from "../../../bench/measure/noop.ts";
import {
  allowanceMs,
  type Profile,
  samplesOf,
  tierOf,
  warmUpMsOf,
} from "../../../bench/measure/profile.ts";
import type { PreparedCase } from "../../../bench/measure/workload.ts";

function counting(durationMs: number) {
  const calls: string[] = [];
  const prepared: PreparedCase = {
    async run() {
      calls.push("run");
      await new Promise((resolve) => setTimeout(resolve, durationMs));
    },
    verify() {
      calls.push("verify");
      return Promise.resolve({ chunks: 3, bytes: 9, digest: "same", extra: { inFlight: 4 } });
    },
    dispose: () => Promise.resolve(),
  };
  return { prepared, calls };
}

function profileOf(samples: number, firstRunCounts: boolean): Profile {
  return {
    name: "test",
    sampleMs: 0,
    tiers: [
      { overMs: 0, samples: 90, firstRunCounts: false },
      { overMs: 6, samples, firstRunCounts },
    ],
    timeoutMs: 1,
    budgetMs: 1,
  };
}

test("the first run is checked before its time counts, the last one too", async () => {
  const { prepared, calls } = counting(10);
  const row = await measureCase(prepared, profileOf(4, false));
  assertEquals(calls, ["run", "verify", "run", "run", "run", "run", "verify"]);
  assertEquals(row.samples.length, 4);
  assertEquals(row.firstRunCounted, false);
});

test("the first run of a slow case is one of its samples, and none is run for nothing", async () => {
  const { prepared, calls } = counting(10);
  const row = await measureCase(prepared, profileOf(2, true));
  assertEquals(calls, ["run", "verify", "run", "run", "verify"]);
  assertEquals(row.samples.length, 3);
  assertEquals(row.firstRunCounted, true);
});

test("a row carries the outcome, its samples in order and the quartiles between them", async () => {
  const row = await measureCase(counting(10).prepared, profileOf(15, false));
  assertEquals([row.chunks, row.bytes, row.digest, row.extra], [3, 9, "same", { inFlight: 4 }]);
  assertEquals(row.samples.length, 15, "outliers are kept");
  assertEquals(row.samples, [...row.samples].sort((one, other) => one - other));
  assertEquals(row.median, row.samples[7]);
  assert(row.samples[0]! <= row.p25 && row.p25 <= row.median && row.median <= row.p75);
  assertEquals(row.iterationsPerSample, 1);
  assert(row.timerTickMs > 0 && row.cpuMs >= 0 && row.peakRssMiB > 5 && row.peakRssMiB < 4096);
});

test("a row may keep a part of its samples, its quartiles are those of all", async () => {
  const prepared = counting(10).prepared;
  const row = await measureCase(prepared, { ...profileOf(15, false), keptSamples: 3 });
  assertEquals([row.samples.length, row.samplesTaken], [3, 15]);
  assertEquals(row.samples[1], row.median);
  assert(row.samples[0]! <= row.p25 && row.p75 <= row.samples[2]!);
  const all = await measureCase(prepared, { ...profileOf(3, false), keptSamples: 3 });
  assertEquals([all.samples.length, all.samplesTaken], [3, undefined]);
});

test("what is shorter than the clock can tell is averaged over many iterations", async () => {
  const row = await measureCase(noop, profileOf(2, false));
  assert(row.iterationsPerSample > 1000, `${row.iterationsPerSample} iterations per sample`);
});

test("an output that changes between iterations is an error, not a row", async () => {
  let checks = 0;
  const prepared: PreparedCase = {
    ...counting(10).prepared,
    verify: () => Promise.resolve({ chunks: 1, bytes: 1, digest: `check ${++checks}` }),
  };
  await assertRejects(
    () => measureCase(prepared, profileOf(1, false)),
    Error,
    "check 1 became check 2",
  );
});

test("an error of the job, undefined included, is the error of the measurement", async () => {
  const prepared = { ...counting(1).prepared, run: () => Promise.reject(undefined) };
  const outcome = await measureCase(prepared, profileOf(1, false))
    .then(() => "measured", (error) => error);
  assertEquals(outcome, undefined);
});

test("the tier is the last one whose bound the first run exceeds", () => {
  const profile = profileOf(2, true);
  assertEquals(tierOf(profile, 0).samples, 90);
  assertEquals(tierOf(profile, 6).samples, 90);
  assertEquals(tierOf(profile, 6.1).samples, 2);
});

test("short iterations warm up longer than long ones, and longest where they are slow to warm", () => {
  const profile = { ...profileOf(1, false), warmUpMs: 10 };
  assertEquals(warmUpMsOf(profileOf(1, false), 1), 0);
  assertEquals([warmUpMsOf(profile, 300), warmUpMsOf(profile, 3, true)], [10, 10]);
  const patient = { ...profile, briefWarmUpMs: 20, slowWarmUpMs: 30 };
  assertEquals([warmUpMsOf(patient, 300, true), warmUpMsOf(patient, 3)], [30, 20]);
  assertEquals(warmUpMsOf(patient, 3, true), 30);
});

test("a slow case whose samples would not fit gets one, or none if its profile wants none", async () => {
  const hurried = counting(10);
  const row = await measureCase(hurried.prepared, profileOf(5, true), 1);
  assertEquals(hurried.calls, ["run", "verify", "run", "verify"]);
  assertEquals([row.samples.length, row.iterationsPerSample], [2, 1]);

  const single = counting(10);
  const only = await measureCase(single.prepared, profileOf(0, true));
  assertEquals(single.calls, ["run", "verify", "verify"]);
  assertEquals([only.samples.length, only.iterationsPerSample, only.firstRunCounted], [1, 1, true]);
  assertEquals(only.median, only.samples[0]);
});

test("samples fit the allowance, which is eight fair shares of the time left", () => {
  const tier = { overMs: 5000, samples: 2, firstRunCounts: true };
  assertEquals(samplesOf(tier, 6000, 12_000), 2);
  assertEquals(samplesOf(tier, 6001, 12_000), 1);
  assertEquals(samplesOf(tier, 60_000, 0), 1);
  assertEquals(samplesOf({ ...tier, firstRunCounts: false }, 60_000, 0), 2);
  const profile = { ...profileOf(2, true), budgetMs: 1000 };
  assertEquals(allowanceMs(profile, 200, 10), 640);
  assertEquals(allowanceMs(profile, 1200, 10), 0);
});

test("a case whose time is given is run once, however many samples its tier wants", async () => {
  const { prepared, calls } = counting(10);
  const row = await measureCase({ ...prepared, isTimeGiven: true }, profileOf(4, false));
  assertEquals(calls, ["run", "verify", "verify"]);
  assertEquals([row.samples.length, row.firstRunCounted], [1, true]);
});
