import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { expand, flatMap, parallel, pipeline, writer } from "@hosepipe/streams";
import { Fifo } from "../src/fifo.ts";
import { held } from "./lib/held.ts";
import { range } from "./lib/range.ts";
import { turns } from "./lib/turns.ts";

/** Takes everything out, one by one. */
function drained(fifo: Fifo): unknown[] {
  const items: unknown[] = [];
  while (fifo.length > 0) items.push(fifo.shift());
  return items;
}

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

const concurrency = Infinity;
type Call = (chunk: number) => Promise<number[]>;
const withoutLimit: Readonly<Record<string, (call: Call) => Promise<unknown>>> = {
  "parallel": (call) => pipeline(range(200), parallel(call, { concurrency }), () => {}),
  "parallel, unordered": (call) =>
    pipeline(range(200), parallel(call, { concurrency, ordered: false }), () => {}),
  "parallel, keys": (call) =>
    pipeline(range(200), parallel(call, { concurrency, key: (chunk) => chunk }), () => {}),
  "flatMap": (call) => pipeline(range(200), flatMap(call, { concurrency }), () => {}),
  "expand": (call) => pipeline(range(200), expand(call, { concurrency }), () => {}),
  "writer": (call) => pipeline(range(200), writer(call, { concurrency })),
};

for (const [name, run] of Object.entries(withoutLimit)) {
  test(`${name} with a concurrency of Infinity calls with all chunks there are`, async () => {
    const { fn, calls } = held<number[], [chunk: number]>();
    const ended = run(fn);
    await turns(20);
    assertEquals(calls.map(({ args }) => args[0]), range(200));
    for (const call of calls) call.resolve([]);
    await ended;
  });
}
