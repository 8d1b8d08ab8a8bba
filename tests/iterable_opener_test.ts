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
