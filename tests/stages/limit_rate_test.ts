import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { fuse, limitRate, pipeline } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { draws } from "../lib/thorough.ts";

test("limitRate() lets a burst through, then one chunk in its time, reading none ahead", async () => {
  await using time = virtualTime();
  const source = countedSource({ length: 6 });
  const seen: [n: number, atMs: number][] = [];
  const done = pipeline(
    source.readable,
    limitRate<number>({ perSecond: 10, burst: 3 }),
    (n) => void seen.push([n, time.now]),
  );
  await time.advance(50);
  assertEquals(seen, [[0, 0], [1, 0], [2, 0]]);
  assertEquals(source.readCount, 4);
  await time.advance(1000);
  assertEquals(seen.slice(3), [[3, 100], [4, 200], [5, 300]]);
  await done;
  assertEquals(time.timers, 0);
});

test("limitRate() never lets more through in any time than burst and rate, and no less than it could", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 50 }),
      async (costs, perSecond) => {
        await using time = virtualTime();
        const seen: { cost: number; atMs: number }[] = [];
        const done = pipeline(
          costs,
          limitRate<number>({ perSecond, burst: 8, cost: (n) => n }),
          (cost) => void seen.push({ cost, atMs: time.now }),
        );
        await time.advance(100_000);
        await done;
        assertEquals(seen.map(({ cost }) => cost), costs);
        // The bucket by hand.
        let tokens = 8;
        let lastMs = 0;
        for (const { cost, atMs } of seen) {
          tokens = Math.min(8, tokens + (atMs - lastMs) * perSecond / 1000) - cost;
          lastMs = atMs;
          assert(tokens > -1e-6, `${tokens} tokens`);
        }
        const total = costs.reduce((sum, cost) => sum + cost, 0);
        const latestMs = Math.max(0, total - 8) * 1000 / perSecond + costs.length + 1;
        assert(lastMs <= latestMs, `${lastMs} > ${latestMs}`);
      },
    ),
    { numRuns: draws(40) },
  );
});

test("limitRate() that waits is ended at once by a cancel, an abort and a signal, without a timer left", async () => {
  await using time = virtualTime();
  const slow = () => limitRate<number>({ perSecond: 0.001, burst: 1 });
  const reason = new Error("enough");
  for (const make of [() => fuse(slow()), () => new TransformStream(slow())]) {
    const source = countedSource();
    const reader = source.readable.pipeThrough(make()).getReader();
    assertEquals((await reader.read()).value, 0);
    const read = reader.read();
    await time.advance(10);
    assertEquals(time.timers, 1);
    await reader.cancel(reason);
    assertEquals(await read, { done: true, value: undefined });
    await time.advance(0);
    assertEquals([time.timers, source.cancelReasons], [0, [reason]]);
  }
  const controller = new AbortController();
  const { signal } = controller;
  const done = errorOf(pipeline([1, 2], slow(), () => {}, { signal }));
  await time.advance(10);
  controller.abort(reason);
  const standing = await settledWithin(done);
  assertEquals(standing, { state: "fulfilled", value: [reason] });
  assertEquals(time.timers, 0);
});

test("limitRate() passes the chunk that waits on before it fails with its source", async () => {
  await using time = virtualTime();
  const reason = new Error("gone");
  const seen: number[] = [];
  const source = countedSource({ length: 2, atEnd: { reason } });
  const done = errorOf(
    pipeline(
      source.readable,
      limitRate<number>({ perSecond: 1, burst: 1 }),
      (n) => void seen.push(n),
    ),
  );
  await time.advance(2000);
  assertEquals([await done, seen, time.timers], [[reason], [0, 1], 0]);
});

test("limitRate() refuses a chunk that costs more than the burst, and a cost that is no number", async () => {
  const costing = (cost: unknown) =>
    run([1], limitRate({ perSecond: 5, cost: () => cost as number })).catch((error) => `${error}`);
  assertEquals(
    await costing(6),
    "RangeError: Cannot limit the rate: a chunk costs 6, more than the burst of 5",
  );
  assertEquals(await costing(5), [1]);
  assertEquals(await costing(0), [1]);
  assert(`${await costing(NaN)}`.startsWith("RangeError"));
  assert(`${await costing(-1)}`.startsWith("RangeError"));
  assert(`${await costing("1")}`.startsWith("TypeError"));
});
