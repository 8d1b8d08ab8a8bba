import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { drop } from "../../src/stages/drop.ts";
import { run } from "../lib/run.ts";

test("drop() leaves out the first n chunks", async () => {
  assertEquals(await run([1, 2, 3, 4], drop<number>(2)), [3, 4]);
  assertEquals(await run([1, 2], drop<number>(1)), [2]);
});

test("drop(0) leaves out none", async () => {
  assertEquals(await run([1, 2], drop<number>(0)), [1, 2]);
});

test("drop() of as many as there are, or more, gives nothing", async () => {
  assertEquals(await run([1, 2], drop<number>(2)), []);
  assertEquals(await run([1, 2], drop<number>(3)), []);
});

test("one drop() in two streams counts in each", async () => {
  const stage = drop<number>(1);
  assertEquals(await Promise.all([run([1, 2], stage), run([3, 4], stage)]), [[2], [4]]);
});

test("drop() refuses what is not a non-negative integer", () => {
  const need = "Cannot create drop: n must be a non-negative integer, got";
  assertThrows(() => drop(-1), RangeError, `${need} -1`);
  assertThrows(() => drop(0.5), RangeError, `${need} 0.5`);
  assertThrows(() => drop(undefined as never), TypeError, `${need} undefined`);
});
