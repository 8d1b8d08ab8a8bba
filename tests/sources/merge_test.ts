import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { expectDiagram, testSource } from "@hosepipe/streams/testing";
import { merge } from "../../src/sources/merge.ts";
import { drain, hanging, reasons } from "./_sources.ts";
import { counted, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

for (const kind of kinds) {
  test(`merge() of ${kind} sources gives all chunks, each source's in order`, async () => {
    const sources = [counted(kind, 3), counted(kind, 2, { first: 10 }), counted(kind, 0)];
    const chunks = await Array.fromAsync(merge(...sources.map(({ source }) => source)));
    assertEquals(chunks.filter((n) => n < 10), [0, 1, 2]);
    assertEquals(chunks.filter((n) => n >= 10), [10, 11]);
    assertEquals(sources.map(({ reads }) => reads), [4, 3, 1]);
    assertEquals(sources.map(({ cancels }) => cancels), [0, 0, 0]);
  });

  test(`merge() reads no ${kind} source before the first read, and one chunk ahead at most`, async () => {
    const sources = [counted(kind), counted(kind), counted(kind)];
    const reader = merge(...sources.map(({ source }) => source)).getReader();
    await turns();
    assertEquals(sources.map(({ reads }) => reads), [0, 0, 0]);
    const seen = new Map<number, number>();
    for (let count = 1; count <= 30; count++) {
      const { value } = await reader.read();
      await turns(1);
      seen.set(value!, (seen.get(value!) ?? 0) + 1);
      const ahead = sources.reduce((sum, { reads }) => sum + reads, 0) - count;
      assertEquals(ahead <= 2, true, `${ahead} ahead`);
    }
    // Nobody starves: thirty chunks are ten of each.
    assertEquals([...seen.values()], new Array(10).fill(3));
    await reader.cancel();
    assertEquals(sources.map(({ cancels }) => cancels), [1, 1, 1]);
  });

  for (const reason of reasons) {
    test(`merge(): a ${kind} source that fails with ${reason} cancels the others`, async () => {
      const failing = counted(kind, 2, { failure: { reason } });
      const others = [counted("stream"), counted("async"), counted("sync")];
      const merged = merge(failing.source, ...others.map(({ source }) => source));
      const { chunks, error } = await drain(merged);
      assertEquals(error, [reason]);
      assertEquals(others.map(({ cancels }) => cancels), [1, 1, 1]);
      assertEquals(failing.cancels, 0);
      // Two of each: nothing that came before the failure is lost.
      assertEquals(chunks.filter((n) => n === 1).length >= 1, true);
    });
  }
}

test("merge() gives chunks in the order of their arrival", async () => {
  await expectDiagram((first, second) => merge(first, second), {
    in: ["--(a|)", "-b-c|"],
    out: "-bac|",
  });
});

test("merge() gives what came before a failure, also while another read is pending", async () => {
  await expectDiagram((...sources) => merge(...sources), {
    ...{ in: ["-(a!)", "-(b!)", "-#"], error: undefined },
    ...{ demand: "1--2", out: "-a-(b#)" },
  });
});

test("merge() fails at once though another source hangs for ever", async () => {
  const hung = hanging();
  const { error } = await drain(
    merge(hung.source, counted("sync", 1, { failure: { reason: 1 } }).source),
  );
  assertEquals(error, [1]);
  assertEquals(hung.returns, 1);
});

test("cancelling merge() before any read reaches every source, with the reason", async () => {
  const stream = testSource();
  const iterable = counted("async");
  await merge(stream.readable, iterable.source).cancel("why");
  assertEquals([await stream.cancelled, iterable.cancels], ["why", 1]);
  assertEquals(stream.readable.locked, false);
});

test("cancelling merge() while all reads are pending reaches every source", async () => {
  await expectDiagram((...sources) => merge(...sources), { in: ["-!", "-!"], out: "-!" });
});

test("cancelling merge() rejects with what a source's own cancel fails with", async () => {
  const failing = new ReadableStream({ cancel: () => Promise.reject(undefined) });
  const other = counted("sync");
  assertEquals(await errorOf(merge(failing, other.source).cancel()), [undefined]);
  assertEquals(other.cancels, 1);
});

test("a source of merge() whose next() cancels the stream itself stops it", async () => {
  let returns = 0;
  let nexts = 0;
  const later = counted("sync");
  const own = {
    [Symbol.iterator]: () => ({
      next() {
        nexts++;
        cancelled = reader.cancel("re-entrant");
        return { done: false, value: 1 };
      },
      return() {
        returns++;
        return { done: true as const, value: undefined };
      },
    }),
  };
  let cancelled: Promise<void> | undefined;
  const reader = merge(own, later.source).getReader();
  assertEquals((await reader.read()).done, true);
  await cancelled;
  await turns();
  assertEquals([nexts, returns, later.reads, later.cancels], [1, 1, 0, 1]);
});

test("merge() of nothing ends, also for one who only waits", async () => {
  await merge().getReader().closed;
});

test("merge() takes bodies, promises among a sync iterable's chunks, and thousands of sources", async () => {
  const bodies = merge(new Blob(["a"]), new Response("b"), new Response(null));
  assertEquals((await new Response(bodies).text()).split("").sort(), ["a", "b"]);
  assertEquals(await Array.fromAsync(merge([Promise.resolve(1), 2])), [1, 2]);
  const many = Array.from({ length: 3000 }, (_, n) => [n, n]);
  const sum = (await Array.fromAsync(merge(...many))).reduce((total, n) => total + n, 0);
  assertEquals(sum, 2999 * 3000);
});

test("merge() fails with what a promised chunk is rejected with, and closes that iterator", async () => {
  let returns = 0;
  const source = {
    [Symbol.iterator]: () => ({
      next: () => ({ done: false, value: Promise.reject(undefined) as Promise<number> }),
      return() {
        returns++;
        return { done: true as const, value: undefined };
      },
    }),
  };
  assertEquals((await drain(merge(source))).error, [undefined]);
  assertEquals(returns, 1);
});

test("merge() refuses what is no source, locked, used or there twice, and touches none", async () => {
  const need =
    "must be a ReadableStream, an iterable, an async iterable, a Blob, a Response or a Request";
  const untouched = counted("stream");
  const stream = untouched.source as ReadableStream<number>;
  assertThrows(
    () => merge(stream, 5 as never),
    TypeError,
    `Cannot create merge: sources[1] ${need}, got 5`,
  );
  assertThrows(() => merge(stream, (() => []) as never), TypeError, "got a function");
  assertThrows(
    () => merge(stream, [], stream),
    TypeError,
    "Cannot create merge: sources[2] is the same stream as sources[0]",
  );
  const locked = new ReadableStream<number>();
  locked.getReader();
  assertThrows(() => merge(stream, locked), TypeError, "sources[1] is locked to another reader");
  const used = new Response("x");
  await used.text();
  assertThrows(
    () => merge<unknown[]>(stream, used),
    TypeError,
    "the body of sources[1] has been read",
  );
  const throwing = {
    [Symbol.iterator]: () => {
      throw undefined;
    },
  };
  let error: unknown = "none";
  try {
    merge(stream, [], throwing);
  } catch (reason) {
    error = reason;
  }
  assertEquals(error, undefined);
  assertEquals([untouched.reads, stream.locked], [0, false]);
});

test("an iterator that gives no result object is an error, not an endless stream", async () => {
  const broken = { [Symbol.iterator]: () => ({ next: () => 5 as never }) };
  const { error } = await drain(merge(broken));
  assertEquals(error[0] instanceof TypeError, true);
});

test("a source of merge() whose next() cancels it keeps those after it from being asked", async () => {
  let nexts = 0;
  const iterable = (next: () => void): AsyncIterable<number> => ({
    [Symbol.asyncIterator]: () => ({
      next() {
        next();
        return Promise.resolve({ done: false, value: 1 });
      },
    }),
  });
  const reader = merge(iterable(() => void reader.cancel("why")), iterable(() => void nexts++))
    .getReader();
  assertEquals((await reader.read()).done, true);
  await turns();
  assertEquals(nexts, 0);
});

test("merge() fails with the first failure, though another comes while a chunk still waits", async () => {
  const [one, other] = [testSource<number>(), testSource<number>()];
  const late = Promise.withResolvers<never>();
  const third = { [Symbol.asyncIterator]: () => ({ next: () => late.promise }) };
  const reader = merge(one.readable, other.readable, third).getReader();
  const first = reader.read();
  await turns();
  one.give(1);
  assertEquals((await first).value, 1);
  const second = reader.read();
  await turns();
  one.give(2);
  await second;
  other.fail("first");
  await turns();
  late.reject("second");
  await turns();
  assertEquals(await errorOf(reader.read()), ["first"]);
  assertEquals(await one.cancelled, "first");
});
