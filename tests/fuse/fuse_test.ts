import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { filter, fuse, map } from "@hosepipe/streams";
import { from } from "../lib/from.ts";
import { range } from "../lib/range.ts";
import { turns } from "../lib/turns.ts";

// What only a caller without types does.
// deno-lint-ignore no-explicit-any
const untyped = fuse as (...args: any[]) => ReadableWritablePair<unknown, unknown>;

test("fuse gives a pair of native streams and nothing else", async () => {
  const pair = fuse(map((n: number) => n + 1), filter((n) => n % 2 === 0));
  assertEquals(Object.keys(pair).toSorted(), ["readable", "writable"]);
  assert(pair.readable instanceof ReadableStream && pair.writable instanceof WritableStream);
  assertEquals(await Array.fromAsync(from(range(5)).pipeThrough(pair)), [2, 4]);
});

test("fuse takes its strategies last, undefined for none, and refuses what it does not know", async () => {
  const pair = untyped(map((n) => n), undefined);
  assertEquals(await Array.fromAsync(from([1]).pipeThrough(pair)), [1]);
  assertThrows(
    () => untyped(map((n) => n), { writableStrategy: {}, readable: {} }),
    TypeError,
    "readable",
  );
  assertThrows(
    () => untyped(map((n) => n), {}),
    TypeError,
    "Cannot fuse: stage 2 has no method of a stage; did you mean strategies",
  );
  for (const name of ["writableStrategy", "readableStrategy"]) {
    assertThrows(() => untyped(map((n) => n), { [name]: { highWaterMark: -1 } }), RangeError);
    assertThrows(() => untyped(map((n) => n), { [name]: { highWaterMark: NaN } }), RangeError);
    assertThrows(() => untyped(map((n) => n), { [name]: { size: 1 } }), TypeError);
  }
});

test("fuse's ends have the strategies they are given, counted by their sizes", async () => {
  const size = (text: string) => text.length;
  const pair = fuse(map((text: string) => `${text}${text}`), {
    writableStrategy: { highWaterMark: 10, size },
    readableStrategy: { highWaterMark: 20, size },
  });
  const writer = pair.writable.getWriter();
  assertEquals(writer.desiredSize, 10);
  writer.write("abc");
  assertEquals(writer.desiredSize, 7);
  await turns();
  assertEquals(writer.desiredSize, 10);
  // Twice 6 are in the outgoing queue, of 20.
  for (const text of ["abc", "abcd"]) writer.write(text);
  await turns();
  assertEquals(writer.desiredSize, 10);
  writer.write("too much");
  await turns();
  assertEquals(writer.desiredSize, 2);
  assertEquals((await pair.readable.getReader().read()).value, "abcabc");
});
