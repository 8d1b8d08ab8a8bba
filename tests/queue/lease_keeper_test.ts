import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { virtualTime } from "@hosepipe/streams/testing";
import { LeaseKeeper } from "../../src/queue/ledger.ts";

test("a LeaseKeeper extends three times a lease, once a millisecond at most", async () => {
  await using time = virtualTime();
  for (const [leaseMs, everyMs] of [[30_000, 10_000], [8, 2], [3, 1], [2, 1], [1, 1]] as const) {
    const extendedAt: number[] = [];
    const startedAt = time.now;
    const keeper = new LeaseKeeper(leaseMs, () => {
      extendedAt.push(time.now - startedAt);
      return Promise.resolve();
    });
    keeper.start();
    await time.advance(2 * everyMs);
    keeper.stop();
    await time.advance(leaseMs);
    assertEquals(extendedAt, [everyMs, 2 * everyMs], `${leaseMs}`);
  }
});

test("a LeaseKeeper has one timer however often it is begun, and can be begun again", async () => {
  await using time = virtualTime();
  let extended = 0;
  const keeper = new LeaseKeeper(30, () => {
    extended++;
    return Promise.resolve();
  });
  keeper.start();
  keeper.start();
  keeper.stop();
  keeper.stop();
  await time.advance(100);
  assertEquals(extended, 0);
  keeper.start();
  keeper.start();
  await time.advance(10);
  assertEquals(extended, 1);
  keeper.stop();
});

test("a LeaseKeeper does not ask again while it waits for an answer", async () => {
  await using time = virtualTime();
  const answers: PromiseWithResolvers<void>[] = [];
  const keeper = new LeaseKeeper(30, () => {
    answers.push(Promise.withResolvers());
    return answers.at(-1)!.promise;
  });
  keeper.start();
  for (const asked of [1, 2, 3]) {
    await time.advance(30);
    assertEquals(answers.length, asked);
    answers.at(-1)!.resolve();
  }
  keeper.stop();
});
