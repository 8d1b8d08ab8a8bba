import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { Slice } from "../../src/kernels/slice.ts";

function filled(count: number): Slice {
  const slice = new Slice();
  for (let n = 0; n < count; n++) slice.give(n);
  slice.swap();
  return slice;
}

test("a new Slice has nothing in it, and lets a kernel make 128 chunks at a time", () => {
  const { items, count, out, outCount, limit, taken, kept, promise, reason } = new Slice();
  assertEquals([items, out], [[], []]);
  assertEquals([count, outCount, taken, kept], [0, 0, 0, 0]);
  assertEquals([limit, promise, reason], [128, undefined, undefined]);
});

test("Slice.swap makes what came out what goes in", () => {
  const slice = filled(3);
  assertEquals([slice.items.slice(0, slice.count), slice.outCount], [[0, 1, 2], 0]);
  slice.give("next");
  slice.swap();
  assertEquals([slice.items[0], slice.count, slice.outCount], ["next", 1, 0]);
});

test("Slice.truncate forgets the chunks it takes away, of few and of many", () => {
  for (const count of [3, 8, 9, 100]) {
    const slice = filled(count);
    slice.truncate(2);
    assertEquals([slice.count, slice.items[0], slice.items[1]], [2, 0, 1]);
    assert(slice.items.slice(2, count).every((item) => item === undefined), `of ${count}`);
    slice.truncate(0);
    assert(slice.items.every((item) => item === undefined), `all of ${count}`);
    assertEquals(slice.count, 0);
  }
});

test("Slice gives up an array that was larger than 1024, and keeps one that was not", () => {
  for (const [count, isKept] of [[1024, true], [1025, false]] as const) {
    const slice = filled(count);
    const { items } = slice;
    slice.give(0);
    slice.swap();
    assertEquals(slice.out === items, isKept);
    if (!isKept) assertEquals(slice.out, []);
  }
});

test("Slice.load and Slice.release begin anew, with one chunk and with none", () => {
  const slice = filled(3);
  slice.load("one");
  assertEquals([slice.items[0], slice.count], ["one", 1]);
  const { items } = slice;
  slice.release();
  assertEquals([slice.items, slice.count], [[], 0]);
  assertEquals(items[0], "one");
});
