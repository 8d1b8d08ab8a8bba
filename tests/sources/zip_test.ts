import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { testSource } from "@hosepipe/streams/testing";
import { zip } from "../../src/sources/zip.ts";
import { drain, hanging, reasons } from "./_sources.ts";
import { counted, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

for (const kind of kinds) {
  test(`zip() of ${kind} sources gives tuples as long as the shortest, and cancels the others`, async () => {
    const sources = [counted(kind, 3), counted(kind, 2, { first: 10 }), counted(kind)];
    const tuples = await Array.fromAsync(zip(...sources.map(({ source }) => source)));
    assertEquals(tuples, [[0, 10, 0], [1, 11, 1]]);
    assertEquals(sources.map(({ reads }) => reads), [3, 3, 3]);
    assertEquals(sources.map(({ cancels }) => cancels), [1, 0, 1]);
  });

  test(`zip() reads one chunk of each ${kind} source for each tuple, on demand`, async () => {
    const sources = [counted(kind), counted(kind)];
    const reader = zip(...sources.map(({ source }) => source)).getReader();
    await turns();
    assertEquals(sources.map(({ reads }) => reads), [0, 0]);
    for (let count = 1; count <= 10; count++) {
      await reader.read();
      await turns(1);
      assertEquals(sources.map(({ reads }) => reads), [count, count]);
    }
    await reader.cancel("why");
    assertEquals(sources.map(({ cancels }) => cancels), [1, 1]);
  });

  for (const reason of reasons) {
    test(`zip(): a ${kind} source that fails with ${reason} cancels the others`, async () => {
      const failing = counted(kind, 2, { failure: { reason } });
      const others = [counted("stream"), counted("async"), counted("sync")];
      const { chunks, error } = await drain(
        zip(failing.source, ...others.map(({ source }) => source)),
      );
      assertEquals(chunks, [[0, 0, 0, 0], [1, 1, 1, 1]]);
      assertEquals(error, [reason]);
      assertEquals(others.map(({ cancels }) => cancels), [1, 1, 1]);
    });
  }
}

test("zip() as long as the longest fills up with undefined, and asks none again that has ended", async () => {
  const sources = [counted("sync", 1), counted("async", 3), counted("stream", 0)];
  const zipped = zip(...sources.map(({ source }) => source), { mode: "longest" });
  assertEquals(await Array.fromAsync(zipped), [
    [0, 0, undefined],
    [undefined, 1, undefined],
    [undefined, 2, undefined],
  ]);
  assertEquals(sources.map(({ reads }) => reads), [2, 4, 1]);
});

test("a strict zip() ends only with all, and fails if one goes on", async () => {
  const even = zip(counted("sync", 2).source, counted("async", 2).source, { mode: "strict" });
  assertEquals(await Array.fromAsync(even), [[0, 0], [1, 1]]);
  for (const lengths of [[2, 3], [3, 2], [3, 2, 3], [0, 1]]) {
    const sources = lengths.map((length) => counted("stream", length));
    const { chunks, error } = await drain(
      zip(...sources.map(({ source }) => source), { mode: "strict" }),
    );
    assertEquals(chunks.length, Math.min(...lengths));
    assertEquals(String(error[0]), "TypeError: Cannot zip: the sources are not equally long");
    assertEquals(
      sources.map(({ cancels }) => cancels),
      lengths.map((length) => length === Math.min(...lengths) ? 0 : 1),
    );
  }
});

test("a strict zip() fails without waiting for a source that hangs", async () => {
  const hung = hanging();
  const { error } = await drain(zip([1], [], hung.source, { mode: "strict" }));
  assertEquals(error[0] instanceof TypeError, true);
  assertEquals(hung.returns, 1);
});

test("zip() ends with the shortest at once though another source hangs", async () => {
  const hung = hanging();
  assertEquals(await Array.fromAsync(zip(hung.source, [])), []);
  assertEquals(hung.returns, 1);
});

test("zip() fails with the first failure though others fail later or hang", async () => {
  const [first, second] = [testSource(), testSource()];
  const hung = hanging();
  const drained = drain(zip(first.readable, second.readable, hung.source));
  await turns();
  second.fail(null);
  first.fail(1);
  assertEquals((await drained).error, [null]);
});

test("cancelling zip() while a tuple is half read reaches every source", async () => {
  const [first, second] = [testSource<number>(), testSource<number>()];
  const reader = zip(first.readable, second.readable).getReader();
  const read = reader.read();
  await turns();
  first.give(1);
  await turns();
  await reader.cancel("why");
  assertEquals((await read).done, true);
  assertEquals([await first.cancelled, await second.cancelled], ["why", "why"]);
  assertEquals([first.readable.locked, second.readable.locked], [false, false]);
});

test("cancelling zip() rejects with what a source's own cancel fails with", async () => {
  const failing = new ReadableStream({ cancel: () => Promise.reject(undefined) });
  assertEquals(await errorOf(zip(failing, [1]).cancel()), [undefined]);
});

test("a source of zip() whose next() cancels the stream itself stops it", async () => {
  let cancelled: Promise<void> | undefined;
  const later = counted("sync");
  const own = {
    [Symbol.iterator]: () => ({
      next() {
        cancelled = reader.cancel("re-entrant");
        return { done: false, value: 1 };
      },
    }),
  };
  const reader = zip(own, later.source).getReader();
  assertEquals((await reader.read()).done, true);
  await cancelled;
  await turns();
  assertEquals([later.reads, later.cancels], [0, 1]);
});

test("zip() of nothing ends, of one gives tuples of one, and keeps falsy chunks", async () => {
  await zip().getReader().closed;
  await zip({ mode: "longest" }).getReader().closed;
  assertEquals(await Array.fromAsync(zip([undefined, null, 0])), [[undefined], [null], [0]]);
});

test("zip() refuses bad sources, modes and options", () => {
  assertThrows(
    () => zip(5 as never),
    TypeError,
    "Cannot create zip: sources[0] must be a Readable",
  );
  assertThrows(() => zip([1], null as never), TypeError, "Cannot create zip: sources[1] must be a");
  assertThrows(
    () => zip([1], { mode: "short" as never }),
    TypeError,
    'Cannot create zip: mode must be "shortest", "longest" or "strict", got "short"',
  );
  assertThrows(
    () => zip([1], { modus: "strict" } as never),
    TypeError,
    'Cannot create zip: unknown option "modus"; the options are mode',
  );
  const stream = new ReadableStream();
  assertThrows(() => zip(stream, stream), TypeError, "is the same stream as");
});
