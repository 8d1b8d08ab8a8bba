import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { dropWhile } from "../../src/stages/drop_while.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";

test("dropWhile() leaves out until the first chunk that stays, and asks no more", async () => {
  const asked: [number, number][] = [];
  const stage = dropWhile((n: number, index) => {
    asked.push([n, index]);
    return n < 3;
  });
  assertEquals(await run([1, 2, 3, 1], stage), [3, 1]);
  assertEquals(asked, [[1, 0], [2, 1], [3, 2]]);
  assertEquals(await run([1, 2], stage), []);
  assertEquals(await run([], stage), []);
});

test("dropWhile() takes promises, and lets falsy chunks through", async () => {
  const stage = dropWhile((chunk: unknown) => Promise.resolve(chunk === 0));
  assertEquals(await run([0, undefined, 0, null], stage), [undefined, 0, null]);
});

test("one dropWhile() in two streams drops in each", async () => {
  const stage = dropWhile((n: number) => n < 2);
  assertEquals(await Promise.all([run([1, 2], stage), run([1, 3], stage)]), [[2], [3]]);
});

test("what the function of dropWhile() throws, or is rejected with, fails the stream", async () => {
  const thrower = () => {
    throw undefined;
  };
  assertEquals(await errorOf(run([1], dropWhile(thrower))), [undefined]);
  assertEquals(await errorOf(run([1], dropWhile(() => Promise.reject(null)))), [null]);
});

test("dropWhile() refuses what is no function", () => {
  assertThrows(() => dropWhile(5 as never), TypeError, "Cannot create dropWhile: fn must be");
});
