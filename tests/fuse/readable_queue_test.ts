import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { ReadableQueue } from "../../src/fuse/readable_queue.ts";

test("ReadableQueue has room for nothing unless it is given a high-water mark", () => {
  for (const strategy of [undefined, {}, { highWaterMark: undefined }, { highWaterMark: 0 }]) {
    const queue = new ReadableQueue(strategy);
    assertEquals([queue.highWaterMark, queue.desiredSize, queue.isPlain], [0, 0, true]);
    assertEquals(queue.isMeasured, false);
  }
  assertEquals(new ReadableQueue({ highWaterMark: 2 }).isPlain, false);
  const { isPlain, isMeasured, desiredSize } = new ReadableQueue({ size: () => 3 });
  assertEquals([isPlain, isMeasured, desiredSize], [false, true, 0]);
});

test("ReadableQueue gives chunks in order, and counts what is in it by their sizes", () => {
  const queue = new ReadableQueue({ highWaterMark: 5 });
  queue.push("a", 2);
  queue.push("b", 0.5);
  queue.push("c", 4);
  assertEquals([queue.length, queue.desiredSize], [3, -1.5]);
  assertEquals([queue.shift(), queue.length, queue.desiredSize], ["a", 2, 0.5]);
  assertEquals([queue.shift(), queue.shift(), queue.length], ["b", "c", 0]);
  assertEquals(queue.desiredSize, 5);
});

test("ReadableQueue is empty again exactly, whatever fractions it has added up", () => {
  const queue = new ReadableQueue({ highWaterMark: 1 });
  for (const size of [0.1, 0.2, 0.3]) queue.push(size, size);
  while (queue.length > 1) queue.shift();
  assertEquals(queue.desiredSize === 1, false);
  queue.shift();
  assertEquals(queue.desiredSize, 1);
  queue.push("a", 0.7);
  queue.push("b", 0.7);
  queue.clear();
  assertEquals([queue.length, queue.desiredSize], [0, 1]);
  queue.push("c", 1);
  assertEquals([queue.shift(), queue.desiredSize], ["c", 1]);
});

test("ReadableQueue measures a chunk by `size`, or as one, and refuses what is no size", () => {
  assertEquals(new ReadableQueue({ highWaterMark: 3 }).measure("abc"), 1);
  const sizes: unknown[] = [0, 2.5, "4", true, null];
  const queue = new ReadableQueue({ size: (index) => sizes[index as number] as number });
  assertEquals(sizes.map((_, index) => queue.measure(index)), [0, 2.5, 4, 1, 0]);
  for (const size of [-1, NaN, Infinity, -Infinity, "x", undefined]) {
    assertThrows(
      () => new ReadableQueue({ size: () => size as number }).measure(0),
      RangeError,
      "size must be a finite, non-negative number, got",
    );
  }
  assertThrows(() => new ReadableQueue({ size: 3 as never }), TypeError);
  for (const highWaterMark of [-1, NaN, "x"]) {
    assertThrows(() => new ReadableQueue({ highWaterMark: highWaterMark as number }), RangeError);
  }
  assertEquals(new ReadableQueue({ highWaterMark: Infinity }).desiredSize, Infinity);
});
