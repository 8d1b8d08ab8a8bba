import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { TimerWatch } from "../../../bench/turns/timer_watch.ts";
import { turns } from "../../lib/turns.ts";

function blockFor(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

test("a wait that somebody makes longer is remembered, also one that stopping ends", () => {
  const watch = new TimerWatch(1);
  assertEquals([watch.longestWaitMs, watch.firings], [0, 0]);
  blockFor(30);
  watch.stop();
  assert(watch.longestWaitMs >= 30);
  assert(watch.cpuInWaitMs > 0);
  assertEquals(watch.firings, 0);
});

test("the timer starts again whenever it fires, until it is stopped", async () => {
  const watch = new TimerWatch(1);
  while (watch.firings < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  watch.stop();
  const { firings } = watch;
  await turns();
  assertEquals(watch.firings, firings);
});
