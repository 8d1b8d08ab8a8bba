import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { pairwise, sliding, toArray } from "@hosepipe/streams";
import { run } from "../lib/run.ts";

test("sliding() gives full arrays, each step chunks after the one before", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer(), { maxLength: 30 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 8 }),
      async (chunks, size, step) => {
        const expected = [];
        for (let from = 0; from + size <= chunks.length; from += step) {
          expected.push(chunks.slice(from, from + size));
        }
        assertEquals(await toArray(chunks, sliding(size, step)), expected);
      },
    ),
    { numRuns: 500 },
  );
});

test("sliding() gives arrays of their own", async () => {
  const [first, second] = await run([1, 2, 3], sliding<number>(2));
  first!.push(9);
  assertEquals(second, [2, 3]);
  assert(first !== second);
});

test("pairwise() gives each chunk with the one before it", async () => {
  assertEquals(await run([1, 2, 3], pairwise()), [[1, 2], [2, 3]]);
  assertEquals(await run([1], pairwise()), []);
  assertEquals(await run([], pairwise()), []);
});

test("sliding() refuses what are no positive integers", () => {
  assertThrows(() => sliding(0), RangeError, "Cannot create sliding: size must be a positive");
  assertThrows(() => sliding(2, 1.5), RangeError, "step must be a positive integer, got 1.5");
  assertThrows(() => sliding("2" as never), TypeError, "size must be a positive integer");
});
