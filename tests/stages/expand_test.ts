import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { expand, pipeline, take, toArray } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { held } from "../lib/held.ts";
import { turns } from "../lib/turns.ts";

const tree: Record<string, string[]> = { a: ["b", "c"], b: ["d"], c: ["e"], d: [], e: [] };

test("expand() gives what its function finds, by levels, and ends when nothing is left", async () => {
  const found = expand((name: string) => tree[name]!);
  assertEquals(await toArray(["a"], found), ["a", "b", "c", "d", "e"]);
  assertEquals(await toArray([], found), []);
  // Another run begins anew.
  assertEquals(await toArray(["b", "c"], found), ["b", "d", "c", "e"]);
});

test("expand() takes iterables of every kind, and promises of them, and counts its calls", async () => {
  const indexes: number[] = [];
  const found = expand((n: number, index) => {
    indexes.push(index);
    if (n === 1) return Promise.resolve([2]);
    if (n === 2) return new Set([3]);
    return n === 3 ? ReadableStream.from([4]) : [];
  });
  assertEquals(await toArray([1], found), [1, 2, 3, 4]);
  assertEquals(indexes, [0, 1, 2, 3]);
});

test("expand() calls its function with several chunks at a time, but no more", async () => {
  const { fn, calls } = held<string[], [name: string, index: number]>();
  const out: string[] = [];
  const run = pipeline(
    ["x", "y", "z"],
    expand((name: string, index) => fn(name, index), { concurrency: 2 }),
    (name) => void out.push(name),
  );
  await turns();
  assertEquals([calls.map(({ args }) => args[0]), out], [["x", "y"], ["x", "y"]]);
  calls[1]!.resolve(["y1"]);
  await turns();
  assertEquals([calls.map(({ args }) => args[0]), out], [["x", "y", "y1"], ["x", "y", "y1"]]);
  for (const call of calls) call.resolve([]);
  await turns();
  assertEquals([calls.length, out], [4, ["x", "y", "y1", "z"]]);
  calls[3]!.resolve([]);
  await run;
});

test("expand() leaves out with `distinct` what was there before, and so ends in a circle", async () => {
  const links: Record<string, string[]> = { "/": ["/a", "/"], "/a": ["/", "/b"], "/b": ["/a"] };
  const crawl = expand((page: string) => links[page]!, { distinct: {} });
  assertEquals(await toArray(["/", "/b", "/"], crawl), ["/", "/a", "/b"]);
  const byKey = expand((n: number) => n < 3 ? [n + 1, n + 10] : [], {
    distinct: { key: (n: number) => Promise.resolve(n % 10) },
  });
  assertEquals(await toArray([1], byKey), [1, 2, 3]);
  const bounded = expand((n: number) => [n + 1], { distinct: { maxKeys: 3 } });
  await assertRejects(() => toArray([1], bounded), RangeError, "there are more than 3 keys");
});

test("expand() fails when more chunks wait for a call than `maxPending`", async () => {
  const twice = expand((n: number) => [n + 1, n + 1], { maxPending: 100 });
  const out: number[] = [];
  await assertRejects(
    () => pipeline([0], twice, (n) => void out.push(n)),
    RangeError,
    "Cannot expand a chunk: more than 100 chunks are pending",
  );
  assert(out.length >= 100, String(out.length));
  const chain = expand((n: number) => n < 1000 ? [n + 1] : [], { maxPending: 1 });
  assertEquals((await toArray([0], chain)).length, 1001);
});

test("expand() reads its source and what it finds on demand, and closes that on an early end", async () => {
  let [read, closed] = [0, 0];
  function* children() {
    try {
      for (;;) yield ++read;
    } finally {
      closed++;
    }
  }
  assertEquals(await toArray([0], expand(children), take(3)), [0, 1, 2]);
  assert(read <= 4, String(read));
  assertEquals(closed, 1);
});

test("expand() passes on the first failure, of its function or of what that returns", async () => {
  const fail = (name: string) => {
    if (name === "c") throw undefined;
    return tree[name]!;
  };
  assertEquals(await errorOf(toArray(["a"], expand(fail))), [undefined]);
  const failing = expand(async function* (name: string) {
    yield* tree[name]!;
    if (name === "b") throw "half way";
  }, { concurrency: 2 });
  assertEquals(await errorOf(toArray(["a"], failing)), ["half way"]);
  await assertRejects(
    () => toArray([1], expand(() => 5 as never)),
    TypeError,
    "Cannot expand a chunk: the result of fn must be an iterable or an async iterable, got 5",
  );
});

test("expand() stops its calls when the run is stopped", async () => {
  const controller = new AbortController();
  let signal: AbortSignal | undefined;
  const run = pipeline(
    ["a"],
    expand((_: string, __, context) => {
      signal = context.signal;
      return new Promise<string[]>(() => {});
    }),
    () => {},
    { signal: controller.signal },
  );
  await turns();
  controller.abort("enough");
  assertEquals(await errorOf(run), ["enough"]);
  assertEquals([signal!.aborted, signal!.reason], [true, "enough"]);
});
