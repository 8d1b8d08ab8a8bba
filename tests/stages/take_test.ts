import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { take } from "../../src/stages/take.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";

test("take() ends with the n-th chunk and reads no other", async () => {
  const source = countedSource();
  const taken = source.readable.pipeThrough(new TransformStream(take<number>(3)));
  assertEquals(await Array.fromAsync(taken), [0, 1, 2]);
  await turns();
  assertEquals(source.readCount, 3);
  assertEquals(source.cancelReasons.length, 1);
});

test("take(1) ends before the source says more", async () => {
  const source = new ReadableStream<string>({ start: (controller) => controller.enqueue("only") });
  const taken = source.pipeThrough(new TransformStream(take<string>(1)));
  assertEquals(await Array.fromAsync(taken), ["only"]);
});

test("take(0) ends before any chunk and cancels the source", async () => {
  const source = countedSource();
  const taken = source.readable.pipeThrough(new TransformStream(take<number>(0)));
  assertEquals(await Array.fromAsync(taken), []);
  await turns();
  // How often a native pipe reads before it sees that its end has closed is its own affair.
  assertEquals(source.cancelReasons.length, 1);
});

test("take(0) takes no chunk", async () => {
  const { readable, writable } = new TransformStream(take<number>(0));
  assertEquals(await readable.getReader().read(), { done: true, value: undefined });
  assertEquals((await errorOf(writable.getWriter().write(1))).length, 1);
});

test("take() of more than there is gives all", async () => {
  assertEquals(await run([1, 2], take<number>(3)), [1, 2]);
  assertEquals(await run([], take(1)), []);
});

test("one take() in two streams counts in each", async () => {
  const stage = take<number>(2);
  assertEquals(await Promise.all([run([1, 2, 3], stage), run([4, 5, 6], stage)]), [[1, 2], [4, 5]]);
});

test("take() refuses what is not a non-negative integer", () => {
  const need = "Cannot create take: n must be a non-negative integer, got";
  assertThrows(() => take(-1), RangeError, `${need} -1`);
  assertThrows(() => take(1.5), RangeError, `${need} 1.5`);
  assertThrows(() => take(NaN), RangeError, `${need} NaN`);
  assertThrows(() => take("1" as never), TypeError, `${need} "1"`);
});

test("take() that fails beyond its limit passes on what is within it, and cancels the source", async () => {
  const stage = take<number>(2, { atLimit: "fail" });
  assertEquals(await run([1, 2], stage), [1, 2]);
  assertEquals(await run([], take(0, { atLimit: "fail" })), []);
  const source = countedSource();
  const taken: number[] = [];
  const [error] = await errorOf((async () => {
    const stream = source.readable.pipeThrough(new TransformStream(stage));
    for await (const n of stream) taken.push(n);
  })());
  assertEquals([String(error), taken], ["RangeError: Cannot take: there are more than 2 chunks", [
    0,
    1,
  ]]);
  await turns();
  assertEquals([source.readCount, source.cancelReasons.length], [3, 1]);
  assertThrows(
    () => take(1, { atLimit: "stop" as never }),
    TypeError,
    'atLimit must be "end" or "fail", got "stop"',
  );
  assertThrows(() => take(1, { error: true } as never), TypeError, 'unknown option "error"');
});
