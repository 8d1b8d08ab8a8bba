import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { mergeBy, toArray } from "@hosepipe/streams";
import { counted } from "../lib/counted.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { reasons } from "../lib/reasons.ts";
import { turns } from "../lib/turns.ts";

const byNumber = { compare: (a: number, b: number) => a - b };

test("mergeBy() gives what sorting all gives, equal ones in the order of the sources", async () => {
  const sorted = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 20 })
    .map((numbers) => numbers.sort((a, b) => a - b));
  await fc.assert(
    fc.asyncProperty(
      fc.array(sorted, { maxLength: 6 }),
      fc.boolean(),
      fc.boolean(),
      async (lists, isKeyed, isAsync) => {
        const sources = lists.map((list, from) => list.map((n) => ({ n, from })));
        type Row = { n: number; from: number };
        const order = isKeyed
          ? { key: ({ n }: Row) => n }
          : { compare: (a: Row, b: Row) => a.n - b.n };
        const opened = sources.map((rows) => isAsync ? ReadableStream.from(rows) : rows);
        // Sorting is stable.
        const expected = sources.flat().sort((a, b) => a.n - b.n);
        assertEquals(await toArray(mergeBy<Row[]>(order, ...opened)), expected);
      },
    ),
    { numRuns: 500 },
  );
});

test("mergeBy() holds at most one chunk of each source, and reads on demand", async () => {
  const sources = [0, 100, 200].map((first) => counted("stream", Infinity, { first }));
  const reader = mergeBy(byNumber, ...sources.map(({ source }) => source)).getReader();
  await turns(2);
  assertEquals(sources.map(({ reads }) => reads), [0, 0, 0]);
  for (let n = 0; n < 5; n++) {
    assertEquals((await reader.read()).value, n);
    await turns(1);
    assertEquals(sources.map(({ reads }) => reads), [n + 1, 1, 1]);
  }
  await reader.cancel();
  assertEquals(sources.map(({ cancels }) => cancels), [1, 1, 1]);
});

test("mergeBy() fails with the first failure, and cancels the others with it", async () => {
  for (const { reason } of reasons) {
    const other = countedSource();
    const hanging = countedSource({ length: 0, atEnd: "stall" });
    const failing = countedSource({ length: 0, atEnd: { reason } });
    const merged = mergeBy(byNumber, other.readable, hanging.readable, failing.readable);
    assertEquals(await errorOf(toArray(merged)), [reason]);
    await turns(1);
    assertEquals([other.cancelReasons, hanging.cancelReasons], [[reason], [reason]]);
  }
});

test("mergeBy() fails with what compare or key throws, and cancels all", async () => {
  for (const { reason } of reasons) {
    const fail = () => {
      throw reason;
    };
    for (const order of [{ compare: fail }, { key: fail }]) {
      const sources = [countedSource(), countedSource()];
      const merged = mergeBy(order, ...sources.map(({ readable }) => readable));
      assertEquals(await errorOf(toArray(merged)), [reason]);
      await turns(1);
      for (const { cancelReasons } of sources) assertEquals(cancelReasons, [reason]);
    }
  }
});

test("mergeBy() of none ends, and a cancel ends a read that hangs", async () => {
  assertEquals(await toArray(mergeBy(byNumber)), []);
  const hanging = countedSource({ length: 0, atEnd: "stall" });
  const reader = mergeBy(byNumber, [1], hanging.readable).getReader();
  const read = reader.read();
  await turns(1);
  await reader.cancel("enough");
  assertEquals([await read, hanging.cancelReasons], [{ done: true, value: undefined }, ["enough"]]);
});

test("mergeBy() refuses bad orders and sources before it touches any", () => {
  const source = countedSource();
  const merge = mergeBy as (...args: unknown[]) => unknown;
  const need = "Cannot create mergeBy: order must have one of compare and key";
  for (const order of [undefined, null, {}, { compare: () => 0, key: () => 0 }]) {
    assertThrows(() => merge(order, source.readable), TypeError, need);
  }
  assertThrows(() => merge({ compare: 5 }, source.readable), TypeError, "compare must be a func");
  assertThrows(() => merge({ key: 5 }, source.readable), TypeError, "key must be a function");
  assertThrows(() => merge({ by: 5 }, source.readable), TypeError, 'unknown option "by"');
  assertThrows(() => merge(byNumber, source.readable, 5), TypeError, "sources[1] must be");
  assertThrows(() => merge(byNumber, source.readable, source.readable), TypeError, "same stream");
  assertEquals(source.readable.locked, false);
});
