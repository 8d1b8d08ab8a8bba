import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { changes } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { reasons } from "../lib/reasons.ts";
import { run } from "../lib/run.ts";

test("changes() keeps chunks that differ from the one before, and the first, even undefined", async () => {
  assertEquals(await run([undefined, undefined, 1, 1, 2, 1], changes()), [undefined, 1, 2, 1]);
  assertEquals(await run([NaN, NaN, 0, -0], changes()), [NaN, 0]);
  assertEquals(await run([], changes()), []);
});

test("changes() compares keys, promised or not", async () => {
  const words = ["a", "b", "cc", "dd", "e"];
  assertEquals(await run(words, changes((word: string) => word.length)), ["a", "cc", "e"]);
  const later = changes((word: string) => Promise.resolve(word.length));
  assertEquals(await run(words, later), ["a", "cc", "e"]);
});

test("changes() compares by a function, of keys, too", async () => {
  const isNear = (a: number, b: number) => Math.abs(a - b) < 2;
  assertEquals(await run([1, 2, 4, 5, 9], changes({ equals: isNear })), [1, 4, 9]);
  const ofLengths = changes({
    key: (word: string) => Promise.resolve(word.length),
    equals: isNear,
  });
  assertEquals(await run(["a", "bb", "cccc"], ofLengths), ["a", "cccc"]);
});

test("one changes() in two streams knows nothing of the other", async () => {
  const stage = changes();
  assertEquals(await Promise.all([run([1, 1], stage), run([1, 2], stage)]), [[1], [1, 2]]);
});

test("changes() fails with what its function throws, and refuses what is none", async () => {
  for (const { reason } of reasons) {
    const failing = changes(() => {
      throw reason;
    });
    assertEquals(await errorOf(run([1], failing)), [reason]);
  }
  assertThrows(() => changes(5 as never), TypeError, "key must be a function, got 5");
  assertThrows(
    () => changes({ equals: 5 as never }),
    TypeError,
    "Cannot create changes: equals must be a function, got 5",
  );
  assertThrows(() => changes({ compare: 5 } as never), TypeError, 'unknown option "compare"');
});
