import { test } from "node:test";
import { assertEquals } from "@std/assert";
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
