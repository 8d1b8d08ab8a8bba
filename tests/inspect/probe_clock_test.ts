import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { ProbeClock } from "../../src/inspect/probe_clock.ts";
import { turns } from "../lib/turns.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

test("a clock that was given is read each time", () => {
  let nowMs = 0;
  const clock = new ProbeClock(() => ++nowMs);
  assertEquals([clock.isExact, clock.read(), clock.glance(), clock.glance()], [true, 2, 3, 4]);
});

test("the real clock, however often it is read in a turn, sets one timer", async () => {
  await withTimerCount(async (pending) => {
    const clock = new ProbeClock(undefined);
    for (let reads = 0; reads < 200; reads++) clock.glance();
    clock.read();
    clock.read();
    assertEquals(pending(), 1);
    await turns(2);
    assertEquals(pending(), 0);
  });
});

test("the real clock is believed for 64 glances of one turn, and never in the next", async () => {
  const { now: real } = performance;
  let reads = 0;
  performance.now = () => ++reads;
  try {
    const clock = new ProbeClock(undefined);
    assertEquals([clock.isExact, clock.glance(), clock.read()], [false, 2, 3]);
    const seen = Array.from({ length: 65 }, () => clock.glance());
    assertEquals(seen, [...new Array(64).fill(3), 4]);
    for (let turn = 0; turn < 3; turn++) {
      await turns(2);
      const before = reads;
      assertEquals(clock.glance() > before, true);
      const after = reads;
      assertEquals([clock.glance(), clock.glance()], [after, after]);
    }
  } finally {
    performance.now = real;
  }
});
