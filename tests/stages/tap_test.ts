import { test } from "node:test";
import { assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { TapKernel } from "../../src/kernels/tap.ts";
import { meaningOf } from "../../src/kernels/registry.ts";
import { tap } from "../../src/stages/tap.ts";
import { callTransform } from "../lib/call_transform.ts";
import { errorOf } from "../lib/error_of.ts";
import { held } from "../lib/held.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";

test("tap() shows each chunk and its index and hands it on unchanged", async () => {
  const seen: unknown[] = [];
  const stage = tap((chunk: string, index) => {
    seen.push([chunk, index]);
    return "ignored";
  });
  assertEquals(await run(["a", "b"], stage), ["a", "b"]);
  assertEquals(seen, [["a", 0], ["b", 1]]);
});

test("tap() hands on a chunk after its promise, and asks for no other before", async () => {
  const { fn, calls } = held<void>();
  const output = run(["a", "b"], tap(fn));
  await turns();
  assertEquals(calls.map(({ args }) => args.slice(0, 2)), [["a", 0]]);
  calls[0]!.resolve();
  await turns();
  assertEquals(calls.length, 2);
  calls[1]!.resolve();
  assertEquals(await output, ["a", "b"]);
});

test("tap() answers at once when its function does", () => {
  assertEquals(callTransform(tap(() => "ignored"), 1), { result: undefined, enqueued: [1] });
});

test("tap() fails with what its function throws, undefined included", async () => {
  const broken = tap(() => {
    throw undefined;
  });
  assertEquals(await errorOf(run([1], broken)), [undefined]);
  assertEquals(await errorOf(run([1], tap(() => Promise.reject("no")))), ["no"]);
});

test("one tap() in two streams counts in each from 0", async () => {
  const seen: unknown[] = [];
  const stage = tap((chunk: string, index) => void seen.push(`${chunk}${index}`));
  await Promise.all([run(["a", "a"], stage), run(["b", "b"], stage)]);
  assertEquals(seen.sort(), ["a0", "a1", "b0", "b1"]);
});

test("tap() tells the engine what it does", () => {
  const fn = (): void => {};
  const stage = tap(fn);
  for (const key of [stage, stage.transform!]) {
    assertInstanceOf(meaningOf(key)!.makeKernel!(), TapKernel);
  }
});

test("tap() refuses what is not a function", () => {
  const message = "Cannot create tap: fn must be a function, got undefined";
  assertThrows(() => tap(undefined as never), TypeError, message);
});
