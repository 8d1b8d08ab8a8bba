import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { every, find, map, reduce, some } from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { reasons } from "../lib/reasons.ts";

const run = reduce as unknown as (...args: unknown[]) => Promise<unknown>;

test("reduce() gives the seed where there is no chunk, whatever it is", async () => {
  const fn = () => 1;
  const seeds = [0, undefined, null, "s", [], fn, new Map(), { signal: 1, seed: 2 }];
  for (const seed of seeds) assertEquals(await run([], fn, seed), seed);
  assertEquals(await run([], fn, { seed: () => 5 }), 5);
  assertEquals(await run([1], map((n) => n), fn, fn, { signal: undefined }), 1);
});

test("reduce() waits for promises, gives the index, and makes its seed anew", async () => {
  const calls: unknown[] = [];
  const fn = async (sum: number, n: number, index: number) => {
    calls.push([sum, n, index]);
    await undefined;
    return sum + n;
  };
  assertEquals(await reduce([1, 2], map((n) => n * 10), fn, 5), 35);
  assertEquals(calls, [[5, 10, 0], [15, 20, 1]]);
  const list = { seed: () => [] as number[] };
  const push = (all: number[], n: number) => (all.push(n), all);
  assertEquals(await reduce([1], push, list), [1]);
  assertEquals(await reduce([2], push, list), [2]);
});

test("reduce(), every(), some() and find() say what is missing", async () => {
  const loose = (end: unknown) => end as typeof run;
  await assertRejects(() => run([1]), TypeError, "Cannot run reduce");
  await assertRejects(() => run([1], 5, 0), TypeError, "Cannot run reduce: fn must be a function");
  await assertRejects(
    () => run([1], (n: number) => n, (n: number) => n, 0, {}),
    TypeError,
    "stage",
  );
  for (const [name, end] of Object.entries({ every, some, find })) {
    await assertRejects(() => loose(end)([1]), TypeError, `Cannot run ${name}: fn must be`);
    await assertRejects(() => loose(end)([1], map((n) => n)), TypeError, `${name}: fn must be`);
  }
});

test("find(), some() and every() read no further than they must, and cancel the rest", async () => {
  for (
    const [end, fn] of [
      [find, (n: number) => n === 2],
      [some, (n: number) => Promise.resolve(n === 2)],
      [every, (n: number) => n !== 2],
    ] as const
  ) {
    const source = countedSource();
    await (end as typeof find)(source.readable, fn);
    assertEquals([source.readCount, source.cancelReasons.length], [3, 1]);
  }
});

test("every(), some(), find() and reduce() fail with what their function throws", async () => {
  for (const { reason } of reasons) {
    const fail = () => {
      throw reason;
    };
    const later = () => Promise.reject(reason);
    for (const fn of [fail, later]) {
      for (const end of [every, some, find]) {
        const source = countedSource();
        assertEquals(await errorOf((end as typeof find)(source.readable, fn)), [reason]);
        assertEquals(source.cancelReasons, [reason]);
      }
      const source = countedSource();
      assertEquals(await errorOf(run(source.readable, fn, 0)), [reason]);
      assertEquals(source.cancelReasons, [reason]);
    }
  }
});

test("find() finds a chunk that is undefined only by what it gives", async () => {
  assertEquals(await find([undefined, 1], (n) => n === undefined), undefined);
  assertEquals(await some([undefined, 1], (n) => n === undefined), true);
});
