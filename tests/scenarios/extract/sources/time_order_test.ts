import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type TimedRow, TimeOrder } from "../../../../scenarios/extract/sources/time_order.ts";

const compare = (one: TimedRow, other: TimedRow) =>
  one.sentAtMs - other.sentAtMs || Number(one.id) - Number(other.id);

/** Conversations, each with the times of its messages; times are few, so that many are equal. */
const conversations = fc.array(fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 6 }), {
  maxLength: 12,
});

test("rows come in order of time, then id, whatever conversations they are of", () => {
  fc.assert(
    fc.property(conversations, fc.infiniteStream(fc.nat()), (all, numbers) => {
      const used = new Set<number>();
      const nextId = () => {
        let { value } = numbers.next() as { value: number };
        while (used.has(value)) value++;
        used.add(value);
        return value;
      };
      const runs = all.map((times) =>
        times.map((sentAtMs): TimedRow => ({ sentAtMs, id: nextId(), row: [] })).sort(compare)
      ).sort((one, other) => one[0]!.sentAtMs - other[0]!.sentAtMs);
      const order = new TimeOrder();
      const rows: TimedRow[] = [];
      for (const run of runs) {
        const startedAtMs = run[0]!.sentAtMs;
        for (const row of order.takeBefore(startedAtMs)) rows.push(row);
        // Nothing that could go was kept back.
        assertEquals(rows.every((row) => row.sentAtMs < startedAtMs), true);
        assertEquals(
          rows.length,
          runs.slice(0, runs.indexOf(run)).flat().filter((row) => row.sentAtMs < startedAtMs)
            .length,
        );
        order.add(run);
      }
      rows.push(...order.takeBefore(Infinity));
      assertEquals(rows, runs.flat().sort(compare));
    }),
    { numRuns: 500 },
  );
});

test("an order given up half-way goes on where it was", () => {
  const order = new TimeOrder();
  order.add([1, 2, 3].map((sentAtMs) => ({ sentAtMs, id: sentAtMs, row: [] })));
  order.add([]);
  for (const row of order.takeBefore(3)) {
    assertEquals(row.id, 1);
    break;
  }
  assertEquals([...order.takeBefore(3)].map(({ id }) => id), [2]);
  assertEquals([...order.takeBefore(4)].map(({ id }) => id), [3]);
});
