import { test } from "node:test";
import { attempt, pipeline } from "@hosepipe/streams";
import { assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { FilterKernel } from "../../src/kernels/filter.ts";
import { describeStage } from "../../src/kernels/inspect.ts";
import { meaningOf } from "../../src/kernels/registry.ts";
import { filter } from "../../src/stages/filter.ts";
import { callTransform } from "../lib/call_transform.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { held } from "../lib/held.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";

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

test("filter() with a concurrency calls with several chunks, and keeps their order unless it need not", async () => {
  for (const ordered of [true, false]) {
    const { fn, calls } = held<boolean, [chunk: number]>();
    const out: number[] = [];
    const stage = filter((n: number) => fn(n), { concurrency: 2, ordered });
    const ended = pipeline([1, 2, 3, 4], stage, (n) => void out.push(n));
    await turns();
    assertEquals(calls.map(({ args }) => args[0]), [1, 2]);
    calls[1]!.resolve(true);
    await turns();
    assertEquals([calls.length, out], [3, ordered ? [] : [2]]);
    calls[2]!.resolve(false);
    calls[0]!.resolve(true);
    await turns();
    calls[3]!.resolve(true);
    await ended;
    assertEquals(out, ordered ? [1, 2, 4] : [2, 1, 4]);
  }
});

test("filter() with a concurrency fails with the first failure, and stops the others", async () => {
  const signals: AbortSignal[] = [];
  const stage = filter((n: number, _index, { signal }) => {
    signals.push(signal);
    return n === 1 ? Promise.reject("why") : new Promise(() => {});
  }, { concurrency: Infinity });
  assertEquals(await errorOf(run([1, 2, 3], stage)), ["why"]);
  assertEquals(signals.map(({ reason }) => reason), signals.map(() => "why"));
});

test("attempt() tries each call of filter() with a concurrency again", async () => {
  let calls = 0;
  // Not a constant, which Bun puts where it is used, without its name.
  function fails(n: number) {
    return ++calls % 2 === 1 ? Promise.reject("busy") : Promise.resolve(n !== 2);
  }
  const stage = attempt(filter(fails, { concurrency: 2 }), { delayMs: 0 });
  assertEquals(describeStage(stage), "attempt(fails)");
  const out: number[] = [];
  const { chunksRetried } = await pipeline([1, 2, 3], stage, (n) => void out.push(n));
  assertEquals([out, chunksRetried > 0], [[1, 3], true]);
  const other = attempt(filter((n: number) => Promise.reject(n), { concurrency: 2 }), {
    attempts: 1,
    onError: (_, n: number) => n === 2 ? "skip" : { chunk: -n },
  });
  assertEquals(await run([1, 2, 3], other), [-1, -3]);
});

test("filter() refuses what is not a function, and options that it cannot use", () => {
  const create = (options: unknown) => () => filter(() => true, options as never);
  assertThrows(create({ concurrency: 0 }), RangeError, "concurrency must be a positive integer");
  assertThrows(create({ ordered: 1 }), TypeError, "ordered must be a boolean, got 1");
  assertThrows(create({ order: 1 }), TypeError, 'did you mean "ordered"');
  const message = 'Cannot create filter: fn must be a function, got "x"';
  assertThrows(() => filter("x" as never), TypeError, message);
});
