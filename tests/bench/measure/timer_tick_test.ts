import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { timerTick } from "../../../bench/measure/timer_tick.ts";

test("the tick is the smallest step, however long the clock stands still between", () => {
  let reading = 0;
  const clock = () => {
    reading++;
    // Stands still for 7 readings, then jumps by 3 or 5.
    const jumps = Math.floor(reading / 8);
    return Math.floor(jumps / 2) * 8 + (jumps % 2) * 5;
  };
  assertEquals(timerTick(clock, 100), 3);
});

test("a clock slower than all readings is waited for", () => {
  let reading = 0;
  assertEquals(timerTick(() => Math.floor(reading++ / 1000) * 2, 10), 2);
});
