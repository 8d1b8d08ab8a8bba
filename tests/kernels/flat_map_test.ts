import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { FlatMapKernel } from "../../src/kernels/flat_map.ts";
import { DONE, FAILED, MORE, WAITS } from "../../src/kernels/kernel.ts";
import { Slice } from "../../src/kernels/slice.ts";

function sliceOf(limit: number, ...chunks: unknown[]): Slice {
  const slice = new Slice();
  for (const chunk of chunks) slice.give(chunk);
  slice.swap();
  slice.limit = limit;
  return slice;
}

const given = ({ out, outCount }: Slice) => out.slice(0, outCount);

test("a flatMap takes no chunk more once it has given as many as it may", () => {
  for (
    const [limit, taken, count] of [[1, 1, 2], [2, 1, 2], [3, 2, 4], [4, 2, 4], [9, 3, 6]] as const
  ) {
    const kernel = new FlatMapKernel((chunk) => [chunk, chunk]);
    const slice = sliceOf(limit, "a", "b", "c");
    // A short array is given whole.
    assertEquals([kernel.run(slice), kernel.hasMore], [DONE, false], `${limit}`);
    assertEquals([slice.taken, given(slice)], [
      taken,
      ["a", "a", "b", "b", "c", "c"].slice(0, count),
    ]);
    assertEquals(
      slice.items.slice(0, 3),
      ["a", "b", "c"].map((chunk, index) => index < taken ? undefined : chunk),
    );
  }
});

test("a flatMap goes on giving what its last chunk made, and may be told to forget it", () => {
  const long = Array.from({ length: 128 * 3 }, (_, index) => index);
  for (const [made, limit] of [[long, 128], [new Set([0, 1, 2]), 1]] as const) {
    const parts = [0, 1, 2].map((part) => [...made].slice(part * limit, (part + 1) * limit));
    for (const isDropped of [false, true]) {
      const kernel = new FlatMapKernel(() => made);
      const slice = sliceOf(limit, "a", "b");
      assertEquals([kernel.run(slice), slice.taken, given(slice)], [MORE, 1, parts[0]!]);
      assertEquals([kernel.hasMore, kernel.needsRoom], [true, !Array.isArray(made)]);
      slice.outCount = 0;
      assertEquals([kernel.more(slice), given(slice), kernel.hasMore], [MORE, parts[1]!, true]);
      slice.outCount = 0;
      if (isDropped) {
        kernel.drop();
        assertEquals([kernel.hasMore, kernel.more(slice), given(slice)], [false, DONE, []]);
      } else {
        kernel.more(slice);
        assertEquals(given(slice), parts[2]!);
        slice.outCount = 0;
        assertEquals([kernel.more(slice), given(slice), kernel.hasMore], [DONE, [], false]);
      }
    }
  }
});

test("a flatMap waits for what is promised, and says what it failed with after what it gave", async () => {
  const failure = new Error("on purpose");
  const kernel = new FlatMapKernel((chunk, index) => {
    if (chunk === "bad") throw failure;
    return chunk === "late" ? Promise.resolve([chunk, index]) : [chunk, index];
  });
  const slice = sliceOf(128, "a", "late", "b", "bad", "c");
  assertEquals([kernel.run(slice), slice.taken, given(slice)], [WAITS, 2, ["a", 0]]);
  slice.outCount = 0;
  kernel.settle(await slice.promise, (chunk) => slice.give(chunk));
  assertEquals([kernel.hasMore, kernel.more(slice), given(slice)], [true, DONE, ["late", 1]]);
  const rest = sliceOf(128, "b", "bad", "c");
  assertEquals([kernel.run(rest), rest.taken, given(rest)], [FAILED, 2, ["b", 2]]);
  assert(rest.reason === failure);
});

test("a flatMap says what it needs in place of what it got", () => {
  const need = "Cannot flatten a chunk: the result of fn must be an iterable or an async iterable";
  for (const [made, got] of [[5, "5"], [undefined, "undefined"], [null, "null"]] as const) {
    const kernel = new FlatMapKernel(() => made);
    const slice = sliceOf(128, "a", "b");
    assertEquals([kernel.run(slice), slice.taken, given(slice)], [FAILED, 1, []]);
    const reason = slice.reason as TypeError;
    assert(reason instanceof TypeError);
    assertEquals(reason.message, `${need}, got ${got}`);
  }
});

test("an iterator whose next rejects is not closed: it has ended by itself", async () => {
  let returns = 0;
  const reason = new Error("why");
  const kernel = new FlatMapKernel(() => ({
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(reason),
      return: () => Promise.resolve({ done: true as const, value: ++returns }),
    }),
  }));
  const slice = sliceOf(9, "a");
  assertEquals(kernel.run(slice), WAITS);
  await assertRejects(() => slice.promise as Promise<unknown>, Error, "why");
  kernel.stop("enough");
  assertEquals(returns, 0);
});
