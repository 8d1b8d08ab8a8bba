import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { Backoff, pause, retryUntilDone } from "../../src/queue/retry_until_done.ts";
import { countedSignal } from "../lib/counted_signal.ts";
import { withQuickTimers } from "../lib/with_quick_timers.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

test("a pause ends at once when its signal aborts, before or during it, and leaves nothing behind", () =>
  withTimerCount(async (pending) => {
    const { controller, signal, listeners } = countedSignal();
    const waiting = pause(600_000, signal);
    assertEquals([pending(), listeners()], [1, 1]);
    controller.abort();
    await waiting;
    assertEquals([pending(), listeners()], [0, 0]);
    await pause(600_000, AbortSignal.abort());
    assertEquals(pending(), 0);
    const quiet = countedSignal();
    await pause(1, quiet.signal);
    assertEquals([pending(), quiet.listeners()], [0, 0]);
  }));

test("Backoff waits twice as long each time, up to a second, a quarter more or less", async () => {
  const { random } = Math;
  const { signal } = new AbortController();
  try {
    for (const [value, factor] of [[0, 0.75], [0.5, 1], [0.999, 1.2495]] as const) {
      Math.random = () => value;
      const backoff = new Backoff();
      const delays = await withQuickTimers(async () => {
        for (let count = 0; count < 8; count++) await backoff.pause(signal);
      });
      const whole = [20, 40, 80, 160, 320, 640, 1000, 1000];
      assertEquals(delays, whole.map((ms) => ms * factor));
    }
  } finally {
    Math.random = random;
  }
});

test("retryUntilDone tries until it succeeds, and tells of each failure", async () => {
  const failures: unknown[] = [];
  let attempts = 0;
  const { signal } = new AbortController();
  let isDone: boolean | undefined;
  const delays = await withQuickTimers(async () => {
    isDone = await retryUntilDone(
      () => ++attempts < 4 ? Promise.reject(attempts) : Promise.resolve(),
      signal,
      (reason) => failures.push(reason),
    );
  });
  assertEquals([isDone, attempts, failures, delays.length], [true, 4, [1, 2, 3], 3]);
});

test("retryUntilDone ends once its signal aborts, in an attempt or between two; what succeeds is done", async () => {
  for (const isDuring of [true, false]) {
    const controller = new AbortController();
    let attempts = 0;
    const { promise: failed, resolve } = Promise.withResolvers<void>();
    const running = retryUntilDone(
      () => {
        attempts++;
        if (isDuring) controller.abort();
        return Promise.reject("away");
      },
      controller.signal,
      () => resolve(),
    );
    await failed;
    controller.abort();
    assertEquals([await running, attempts], [false, 1]);
  }
  assertEquals(await retryUntilDone(() => Promise.resolve(), AbortSignal.abort(), () => {}), true);
});
