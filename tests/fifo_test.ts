import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import { Fifo } from "../src/fifo.ts";
import { range } from "./lib/range.ts";

/** Takes everything out, one by one. */
function drained(fifo: Fifo): unknown[] {
  const items: unknown[] = [];
  while (fifo.length > 0) items.push(fifo.shift());
  return items;
}

test("a Fifo gives items in the order in which they came, undefined included", () => {
  const fifo = new Fifo();
  assertEquals(fifo.length, 0);
  for (const item of [1, undefined, 3]) fifo.push(item);
  assertEquals([fifo.length, fifo.shift()], [3, 1]);
  fifo.push(4);
  assertEquals(drained(fifo), [undefined, 3, 4]);
  assertEquals(fifo.length, 0);
});

test("pushAll takes an array for its own where nothing waits, and copies where something does", () => {
  const fifo = new Fifo();
  const items = [1, 2, 3, "beyond"];
  fifo.pushAll(items, 3);
  assertEquals([fifo.length, fifo.shift(), items[0]], [3, 1, undefined]);
  const others = [4, 5, "beyond"];
  fifo.pushAll(others, 2);
  assertEquals(drained(fifo), [2, 3, 4, 5]);
  assertEquals(others, [4, 5, "beyond"]);
});

test("moveTo moves no more than asked for, and forgets what it has moved", () => {
  const fifo = new Fifo();
  const items: unknown[] = [1, 2, 3];
  fifo.pushAll(items, 3);
  const target: unknown[] = ["old", "old", "old", "old"];
  assertEquals([fifo.moveTo(target, 2), fifo.length], [2, 1]);
  assertEquals(target, [1, 2, "old", "old"]);
  assertEquals(items.slice(0, 2), [undefined, undefined]);
  assertEquals([fifo.moveTo(target, 9), target[0], fifo.length], [1, 3, 0]);
  assertEquals(fifo.moveTo(target, 9), 0);
});

test("putBack puts before all others, whether there is room in front or not", () => {
  for (const taken of [0, 1, 2, 5]) {
    for (const count of [1, 2, 3, 7]) {
      const fifo = new Fifo();
      for (const item of range(6)) fifo.push(item);
      for (let times = 0; times < taken; times++) fifo.shift();
      const source = ["before", ...range(count).map((n) => `back ${n}`), "after"];
      fifo.putBack(source, 1, 1 + count);
      assertEquals(drained(fifo), [...source.slice(1, -1), ...range(6).slice(taken)]);
    }
  }
  const many = new Fifo();
  many.push("last");
  many.putBack(new Array(300_000).fill("first"), 0, 300_000);
  assertEquals([many.length, many.shift()], [300_001, "first"]);
  const empty = new Fifo();
  empty.putBack([7, 8, 9], 1, 3);
  assertEquals(drained(empty), [8, 9]);
});

test("a Fifo that is emptied begins anew, in its room where that is small and in none where it is big", () => {
  const ways: Record<string, (fifo: Fifo) => void> = {
    shift: drained,
    moveTo: (fifo) => void fifo.moveTo([], Infinity),
    clear: (fifo) => fifo.clear(),
  };
  for (const [way, empty] of Object.entries(ways)) {
    for (const [count, first] of [[3, "new"], [1024, "new"], [1025, undefined]] as const) {
      const fifo = new Fifo();
      const items: unknown[] = range(count);
      fifo.pushAll(items, count);
      empty(fifo);
      // What it still has room for, it has forgotten.
      if (count <= 1024) assertEquals(items.findIndex((item) => item !== undefined), -1, way);
      fifo.push("new");
      assertEquals([items.length, fifo.length], [count, 1], way);
      if (way !== "clear" || first !== undefined) assertEquals(items[0], first, way);
      assertEquals(fifo.shift(), "new");
    }
  }
});

test("clear leaves nothing, and a Fifo that was cleared takes items again", () => {
  for (const count of [3, 5000]) {
    const fifo = new Fifo();
    for (const item of range(count)) fifo.push(item);
    fifo.clear();
    assertEquals(fifo.length, 0);
    fifo.push("new");
    assertEquals(drained(fifo), ["new"]);
  }
});

test("whatever is done to a Fifo, it is what an array would be", () => {
  const operation = fc.oneof(
    fc.record({ name: fc.constant("push" as const), count: fc.integer({ min: 1, max: 80 }) }),
    fc.record({ name: fc.constant("pushAll" as const), count: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ name: fc.constant("shift" as const), count: fc.integer({ min: 1, max: 80 }) }),
    fc.record({ name: fc.constant("moveTo" as const), count: fc.integer({ min: 0, max: 80 }) }),
    fc.record({ name: fc.constant("putBack" as const), count: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ name: fc.constant("clear" as const), count: fc.constant(0) }),
  );
  fc.assert(fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
    const fifo = new Fifo();
    let model: number[] = [];
    let next = 0;
    const made = (count: number) => range(count).map(() => next++);
    for (const { name, count } of operations) {
      if (name === "push") {
        const items = made(count);
        for (const item of items) fifo.push(item);
        model.push(...items);
      } else if (name === "pushAll") {
        const items = made(count);
        model.push(...items);
        fifo.pushAll(items, count);
      } else if (name === "shift") {
        for (let left = Math.min(count, model.length); left > 0; left--) {
          assertEquals(fifo.shift(), model.shift());
        }
      } else if (name === "moveTo") {
        const target: unknown[] = [];
        const moved = model.splice(0, count);
        assertEquals(fifo.moveTo(target, count), moved.length);
        assertEquals(target, moved);
      } else if (name === "putBack") {
        const items = made(count);
        fifo.putBack(items, 0, count);
        model.unshift(...items);
      } else {
        fifo.clear();
        model = [];
      }
      assertEquals(fifo.length, model.length);
    }
    assertEquals(drained(fifo), model);
  }));
});

test("a Fifo that is never empty keeps no room for what has passed through it", () => {
  const fifo = new Fifo();
  const items: unknown[] = range(200);
  let cuts = 0;
  items.splice = (...range: unknown[]) => {
    cuts++;
    return Array.prototype.splice.apply(items, range as [number, number]);
  };
  fifo.pushAll(items, 200);
  for (let item = 200; item < 10_000; item++) {
    fifo.push(item);
    fifo.shift();
  }
  // In large steps: to cut off each by itself would move all others each time.
  assertEquals([items.length < 1000, cuts < 100], [true, true], `${items.length} ${cuts}`);
});

test("a Fifo through which a million items pass costs the same for each", () => {
  const fifo = new Fifo();
  const ahead = 200;
  for (const item of range(ahead)) fifo.push(item);
  for (let item = ahead; item < 1_000_000; item++) {
    fifo.push(item);
    if (fifo.shift() !== item - ahead) assert(false, `${item - ahead} came out of turn`);
  }
  assertEquals(fifo.length, ahead);
});
