import { test } from "node:test";
import { assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { FilterKernel } from "../../src/kernels/filter.ts";
import { meaningOf } from "../../src/kernels/registry.ts";
import { filter } from "../../src/stages/filter.ts";
import { callTransform } from "../lib/call_transform.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { run } from "../lib/run.ts";

test("filter() lets through what the function answers truthily for", async () => {
  assertEquals(await run([0, 1, 2, 3], filter((chunk: number) => chunk % 2)), [1, 3]);
});

test("filter() gives the index of chunks that came in", async () => {
  assertEquals(await run(["a", "b", "c"], filter((_, index) => index !== 1)), ["a", "c"]);
});

test("filter() waits for promises", async () => {
  const stage = filter((chunk: number) => Promise.resolve(chunk > 1));
  assertEquals(await run([1, 2, 3], stage), [2, 3]);
});

test("filter() narrows the type by a type guard", async () => {
  const isText = (chunk: string | number): chunk is string => typeof chunk === "string";
  const texts: string[] = await run(["a", 1], filter(isText));
  assertEquals(texts, ["a"]);
});

test("filter() answers at once when its function does", () => {
  assertEquals(callTransform(filter(() => true), 1), { result: undefined, enqueued: [1] });
  assertEquals(callTransform(filter(() => false), 1), { result: undefined, enqueued: [] });
});

test("filter() fails with what its function throws, undefined included", async () => {
  const broken = filter(() => {
    throw undefined;
  });
  assertEquals(await errorOf(run([1], broken)), [undefined]);
  assertEquals(await errorOf(run([1], filter(() => Promise.reject(undefined)))), [undefined]);
});

test("one filter() in two streams counts in each from 0", async () => {
  const stage = filter((_: string, index) => index === 1);
  const streams = ["a", "b"].map((name) =>
    from([`${name}0`, `${name}1`]).pipeThrough(new TransformStream(stage))
  );
  assertEquals(await Promise.all(streams.map((stream) => Array.fromAsync(stream))), [["a1"], [
    "b1",
  ]]);
});

test("filter() tells the engine what it does", () => {
  const fn = (chunk: number): boolean => chunk > 0;
  const stage = filter(fn);
  for (const key of [stage, stage.transform!]) {
    assertInstanceOf(meaningOf(key)!.makeKernel!(), FilterKernel);
  }
});

test("filter() refuses what is not a function", () => {
  const message = 'Cannot create filter: fn must be a function, got "x"';
  assertThrows(() => filter("x" as never), TypeError, message);
});
