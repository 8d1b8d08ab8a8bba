import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { Work } from "../../src/kernels/work.ts";

function filled(count: number): Work {
  const work = new Work();
  for (let n = 0; n < count; n++) work.give(n);
  work.swap();
  return work;
}

test("a new Work has nothing in it, and lets a kernel make 128 chunks at a time", () => {
  const { items, count, out, outCount, limit, taken, kept, promise, reason } = new Work();
  assertEquals([items, out], [[], []]);
  assertEquals([count, outCount, taken, kept], [0, 0, 0, 0]);
  assertEquals([limit, promise, reason], [128, undefined, undefined]);
});

test("Work.swap makes what came out what goes in", () => {
  const work = filled(3);
  assertEquals([work.items.slice(0, work.count), work.outCount], [[0, 1, 2], 0]);
  work.give("next");
  work.swap();
  assertEquals([work.items[0], work.count, work.outCount], ["next", 1, 0]);
});

test("Work.truncate forgets the chunks it takes away, of few and of many", () => {
  for (const count of [3, 8, 9, 100]) {
    const work = filled(count);
    work.truncate(2);
    assertEquals([work.count, work.items[0], work.items[1]], [2, 0, 1]);
    assert(work.items.slice(2, count).every((item) => item === undefined), `of ${count}`);
    work.truncate(0);
    assert(work.items.every((item) => item === undefined), `all of ${count}`);
    assertEquals(work.count, 0);
  }
});

test("Work gives up an array that was larger than 1024, and keeps one that was not", () => {
  for (const [count, isKept] of [[1024, true], [1025, false]] as const) {
    const work = filled(count);
    const { items } = work;
    work.give(0);
    work.swap();
    assertEquals(work.out === items, isKept);
    if (!isKept) assertEquals(work.out, []);
  }
});

test("Work.load and Work.release begin anew, with one chunk and with none", () => {
  const work = filled(3);
  work.load("one");
  assertEquals([work.items[0], work.count], ["one", 1]);
  const { items } = work;
  work.release();
  assertEquals([work.items, work.count], [[], 0]);
  assertEquals(items[0], "one");
});
