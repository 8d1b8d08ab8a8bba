import { test } from "node:test";
import { assertEquals, assertStrictEquals } from "@std/assert";
import { iterableOpener } from "../src/iterable_opener.ts";

test("iterableOpener() finds the asynchronous way first, and touches nothing before it opens", () => {
  const log: unknown[] = [];
  const iterable = {
    [Symbol.iterator]() {
      log.push(["sync", this === iterable]);
      return [][Symbol.iterator]();
    },
    [Symbol.asyncIterator]() {
      log.push(["async", this === iterable]);
      return (async function* () {})();
    },
  };
  const opener = iterableOpener(iterable)!;
  assertEquals([opener.isAsync, log], [true, []]);
  opener.open();
  assertEquals(log, [["async", true]]);
  const { [Symbol.iterator]: open } = iterable;
  for (const absent of [undefined, null]) {
    const syncOnly = { [Symbol.iterator]: open, [Symbol.asyncIterator]: absent };
    assertEquals(iterableOpener(syncOnly)!.isAsync, false);
  }
});

test("iterableOpener() reads each method once", () => {
  const reads: PropertyKey[] = [];
  const watched = new Proxy([1], {
    get(target, key) {
      reads.push(key);
      return Reflect.get(target, key, target);
    },
  });
  const opener = iterableOpener<number>(watched)!;
  assertEquals(reads, [Symbol.asyncIterator, "getReader", Symbol.iterator]);
  assertEquals((opener.open() as Iterator<number>).next(), { done: false, value: 1 });
});

test("iterableOpener() opens strings, and nothing that is no iterable", () => {
  assertEquals((iterableOpener("a")!.open() as Iterator<string>).next().value, "a");
  for (const value of [undefined, null, 5, {}, () => [], { [Symbol.iterator]: 5 }]) {
    assertStrictEquals(iterableOpener(value), undefined);
  }
});

test("what has a body is opened as the stream of it, and as nothing where it has none", async () => {
  const chunksOf = async (value: unknown) => {
    const opener = iterableOpener<Uint8Array>(value)!;
    assertEquals(opener.isAsync, true);
    const iterator = opener.open() as AsyncIterator<Uint8Array>;
    let text = "";
    while (true) {
      const { done, value } = await iterator.next();
      if (done) return text;
      text += new TextDecoder().decode(value);
    }
  };
  assertEquals(await chunksOf(new Response("text")), "text");
  assertEquals(await chunksOf(new Blob(["te", "xt"])), "text");
  assertEquals(await chunksOf(new Response(null)), "");
});
