import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { virtualTime } from "@hosepipe/streams/testing";
import { CaseClock } from "../../../bench/measure/case_clock.ts";
import { measureCase } from "../../../bench/measure/measure_case.ts";
import type { PreparedCase } from "../../../bench/measure/workload.ts";

const profile = {
  name: "test",
  sampleMs: 0,
  tiers: [{ overMs: 0, samples: 3, firstRunCounts: false }],
  timeoutMs: 1,
  budgetMs: 1,
};
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A case that a run uses up. */
function usedUp() {
  const calls: string[] = [];
  let isReady = true;
  let cpuMs = 0;
  const prepared: PreparedCase = {
    async run() {
      if (!isReady) throw new Error("there is nothing to run on");
      isReady = false;
      calls.push("run");
      cpuMs += 3;
      await sleep(6);
    },
    async reset() {
      calls.push("reset");
      cpuMs += 50;
      await sleep(60);
      isReady = true;
    },
    verify() {
      calls.push("verify");
      return Promise.resolve({ chunks: 1, bytes: 1, digest: "same" });
    },
    dispose: () => Promise.resolve(),
  };
  return { prepared, calls, cpuMs: () => cpuMs };
}

test("a case that a run uses up is made ready before each run but the first", async () => {
  const { prepared, calls } = usedUp();
  const row = await measureCase(prepared, profile);
  assertEquals(calls, ["run", "verify", ..."reset run ".repeat(3).trim().split(" "), "verify"]);
  assertEquals(row.samples.length, 3);
});

test("what makes it ready is counted neither as time nor as CPU time", async () => {
  await using time = virtualTime();
  const { prepared, cpuMs } = usedUp();
  const clock = new CaseClock(prepared, cpuMs);
  const { now } = clock.options;
  const [before, cpuBefore, wallBefore] = [now!(), clock.cpuMs, performance.now()];
  await time.run(clock.run());
  assertEquals([(now!() - before) / 1e6, performance.now() - wallBefore], [6, 66]);
  assertEquals(clock.cpuMs - cpuBefore, 3);
});

test("a case that may be run again at once keeps mitata's own clock", async () => {
  const { prepared, calls } = usedUp();
  const { reset: _reset, ...plain } = prepared;
  const clock = new CaseClock(plain);
  assertEquals(clock.options, {});
  await clock.run();
  assertEquals(calls, ["run"]);
});
