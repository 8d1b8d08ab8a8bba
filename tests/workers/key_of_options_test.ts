import { assertEquals, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import { keyOfOptions } from "../../src/workers/in_workers_options.ts";

test("equal plain options have one key, others have others", () => {
  for (const options of [undefined, null, true, "a", 1.5, [1, "x", null], { a: { b: [1] } }, {}]) {
    assertEquals(keyOfOptions(options), keyOfOptions(structuredClone(options)));
    assertEquals(typeof keyOfOptions(options), "string");
  }
  const different = [undefined, null, "", "null", 0, false, [], {}, [null], { a: 1 }, { a: "1" }];
  const keys = different.map(keyOfOptions);
  assertEquals(new Set(keys).size, keys.length);
  assertNotEquals(keyOfOptions("1"), keyOfOptions(1));
});

test("what JSON does not tell apart has no key", () => {
  const loop: unknown[] = [];
  loop.push(loop);
  class Point {
    x = 1;
  }
  for (
    const options of [
      ...[NaN, Infinity, -0, 1n, new Date(0), new Map(), new Point(), Symbol("a"), loop],
      ...[{ a: undefined }, [undefined], [, 1], { toJSON: () => 1 }, { [Symbol.iterator]: 1 }],
      ...[() => {}, new Uint8Array(1), "x".repeat(20_000), Object.create(null)],
    ]
  ) assertEquals(keyOfOptions(options), undefined);
});
