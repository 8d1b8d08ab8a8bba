import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { batchBy, groupBy, map, pipeline } from "@hosepipe/streams";

const keyOf = (n: number) => n % 5;
const chunks = Array.from({ length: 20 }, (_, n) => n);

test("a run counts what batchBy and groupBy ended for another key's sake, and says nothing of none", async () => {
  const keysEvictedOf = async (maxKeys: number) => {
    const batches = batchBy(keyOf, 4, { maxKeys });
    const groups = groupBy(keyOf, () => map((n: number) => n), { maxKeys });
    return [
      (await pipeline(chunks, batches, () => {})).keysEvicted,
      (await pipeline(chunks, groups, () => {})).keysEvicted,
      (await pipeline(
        chunks,
        batchBy(keyOf, 4, { maxKeys }),
        groupBy(({ key }) => key, () => map((one) => one), { maxKeys }),
        () => {},
      )).keysEvicted,
    ];
  };
  assertEquals(await keysEvictedOf(5), [undefined, undefined, undefined]);
  assertEquals(await keysEvictedOf(2), [18, 18, 36]);
});

test("batches go on in the order in which they were opened, however many there are", async () => {
  for (const maxKeys of [1, 3, 1000]) {
    const order: number[] = [];
    const keys = Array.from({ length: 5000 }, (_, n) => (n * 7919) % 2003);
    const expected: number[] = [];
    const open = new Map<number, number>();
    for (const key of keys) {
      if (!open.has(key) && open.size === maxKeys) {
        const [first] = open.keys();
        expected.push(first!);
        open.delete(first!);
      }
      const count = (open.get(key) ?? 0) + 1;
      open.set(key, count);
      if (count === 2) {
        expected.push(key);
        open.delete(key);
      }
    }
    expected.push(...open.keys());
    await pipeline(keys, batchBy((key) => key, 2, { maxKeys }), ({ key }) => void order.push(key));
    assertEquals(order, expected);
  }
});
