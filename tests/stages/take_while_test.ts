import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { takeWhile } from "../../src/stages/take_while.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";

test("takeWhile() ends before the first chunk that does not stay, and reads no other", async () => {
  const source = countedSource();
  const stage = takeWhile((n: number) => n < 3);
  const taken = source.readable.pipeThrough(new TransformStream(stage));
  assertEquals(await Array.fromAsync(taken), [0, 1, 2]);
  await turns();
  assertEquals([source.readCount, source.cancelReasons.length], [4, 1]);
});

test("takeWhile() takes promises, counts chunks, and gives all where all stay", async () => {
  const indexes: number[] = [];
  const stage = takeWhile((chunk: string, index) => {
    indexes.push(index);
    return Promise.resolve(chunk !== "c");
  });
  assertEquals(await run(["a", "b", "c", "a"], stage), ["a", "b"]);
  assertEquals(await run(["a", "b"], stage), ["a", "b"]);
  assertEquals(await run([], stage), []);
  assertEquals(indexes, [0, 1, 2, 0, 1]);
});

test("takeWhile() narrows by a type guard", async () => {
  const isString = (chunk: string | number): chunk is string => typeof chunk === "string";
  const strings: string[] = await run(["a", 1, "b"], takeWhile(isString));
  assertEquals(strings, ["a"]);
});

test("what the function of takeWhile() throws, or is rejected with, fails the stream", async () => {
  const thrower = () => {
    throw undefined;
  };
  assertEquals(await errorOf(run([1], takeWhile(thrower))), [undefined]);
  assertEquals(await errorOf(run([1], takeWhile(() => Promise.reject(null)))), [null]);
});

test("takeWhile() refuses what is no function", () => {
  assertThrows(
    () => takeWhile(5 as never),
    TypeError,
    "Cannot create takeWhile: fn must be a function, got 5",
  );
});
