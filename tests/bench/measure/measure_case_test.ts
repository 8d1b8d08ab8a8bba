import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { measureCase } from "../../../bench/measure/measure_case.ts";
import type { Profile } from "../../../bench/measure/profile.ts";
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
