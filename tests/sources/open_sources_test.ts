import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { checkSources, openSources } from "../../src/sources/open_sources.ts";
import { turns } from "../lib/turns.ts";

test("where one source cannot be opened, those before it are given up, and no stream is locked", async () => {
  const failure = new Error("why");
  const returned: string[] = [];
  const iterable = (name: string) => ({
    [Symbol.iterator]: () => ({
      next: () => ({ done: true, value: undefined }),
      return() {
        returned.push(name);
        return { done: true, value: undefined };
      },
    }),
  });
  const broken = {
    [Symbol.iterator](): never {
      throw failure;
    },
  };
  const stream = new ReadableStream();
  const sources = [stream, iterable("one"), iterable("other"), broken, iterable("later")];
  const found = checkSources("test", sources, String);
  assertThrows(() => openSources(found, String), Error, "why");
  await turns(1);
  assertEquals([returned, stream.locked], [["one", "other"], false]);
});
