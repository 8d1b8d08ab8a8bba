import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { LeaseKeeper } from "../../src/queue/lease_keeper.ts";
import { turns } from "../lib/turns.ts";
import { withIntervals } from "../lib/with_intervals.ts";

test("a LeaseKeeper extends three times a lease, once a millisecond at most", () =>
  withIntervals((running) => {
    for (const [leaseMs, everyMs] of [[30_000, 10_000], [8, 2], [3, 1], [2, 1], [1, 1]] as const) {
      const keeper = new LeaseKeeper(leaseMs, () => Promise.resolve());
      keeper.start();
      assertEquals([...running.values()].map(({ ms }) => ms), [everyMs], `${leaseMs}`);
      keeper.stop();
      assertEquals(running.size, 0);
    }
  }));

test("a LeaseKeeper has one timer however often it is begun, and can be begun again", () =>
  withIntervals((running) => {
    let extended = 0;
    const keeper = new LeaseKeeper(30, () => {
      extended++;
      return Promise.resolve();
    });
    assertEquals(running.size, 0);
    keeper.start();
    keeper.start();
    assertEquals(running.size, 1);
    keeper.stop();
    keeper.stop();
    assertEquals(running.size, 0);
    keeper.start();
    assertEquals(running.size, 1);
    for (const { tick } of running.values()) tick();
    assertEquals(extended, 1);
    keeper.stop();
  }));

test("a LeaseKeeper does not ask again while it waits for an answer", () =>
  withIntervals(async (running) => {
    const answers: PromiseWithResolvers<void>[] = [];
    const keeper = new LeaseKeeper(30, () => {
      answers.push(Promise.withResolvers());
      return answers.at(-1)!.promise;
    });
    keeper.start();
    const { tick } = [...running.values()][0]!;
    for (const asked of [1, 2, 3]) {
      tick();
      tick();
      await turns(1);
      tick();
      assertEquals(answers.length, asked);
      answers.at(-1)!.resolve();
      await turns(1);
    }
    keeper.stop();
  }));
