import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { filter, flatMap, map, pipeline, tap, toArray, type Transformer } from "@hosepipe/streams";

// Functions of the platform take a second argument of their own: what they make of an index is theirs to say. Where
// the types refuse one, `as never` stands for a program without types.

test("map(parseInt) takes the index for a radix", async () => {
  assertEquals(await toArray(["10", "10", "10"], map(parseInt)), [10, NaN, 2]);
  assertEquals(await toArray(["10", "10"], map((text) => parseInt(text))), [10, 10]);
});

test("map(JSON.parse), which the types refuse, ignores an index that is no reviver", async () => {
  const parse: Transformer<string, unknown> = map(JSON.parse as never);
  assertEquals(await toArray(['{"a":1}', "[2]"], parse), [{ a: 1 }, [2]]);
});

test("map(structuredClone), which the types refuse, fails with a TypeError: an index is no options", async () => {
  const clone: Transformer<number[], unknown> = map(structuredClone as never);
  await assertRejects(() => toArray([[1]], clone), TypeError);
});

test("flatMap(Array.of) and other functions of any number of arguments get index and context", async () => {
  const [chunk, index, context] = await toArray(["a"], flatMap(Array.of as never));
  assertEquals([chunk, index], ["a", 0]);
  assert((context as { signal: unknown }).signal instanceof AbortSignal);
});

test("map(String), filter(Boolean) and encodeURIComponent take the chunk alone", async () => {
  assertEquals(await toArray([0, 1, 2], filter(Boolean), map(String)), ["1", "2"]);
  assertEquals(await toArray(["a b"], map(encodeURIComponent)), ["a%20b"]);
});

test("tap gives a function of any number of arguments all three, a sink is given the chunk alone", async () => {
  const counts: number[] = [];
  const count = (...args: unknown[]) => void counts.push(args.length);
  await toArray(["a"], tap(count));
  await pipeline(["a"], count);
  assertEquals(counts, [3, 1]);
});
