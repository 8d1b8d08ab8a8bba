import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { testSource } from "@hosepipe/streams/testing";
import { zip } from "../../src/sources/zip.ts";
import { drain, hanging } from "./_sources.ts";
import { counted, kinds } from "../lib/counted.ts";
import { turns } from "../lib/turns.ts";

for (const kind of kinds) {
  test(`zip() of ${kind} sources gives tuples as long as the shortest, and cancels the others`, async () => {
    const sources = [counted(kind, 3), counted(kind, 2, { first: 10 }), counted(kind)];
    const tuples = await Array.fromAsync(zip(...sources.map(({ source }) => source)));
    assertEquals(tuples, [[0, 10, 0], [1, 11, 1]]);
    assertEquals(sources.map(({ reads }) => reads), [3, 3, 3]);
    assertEquals(sources.map(({ cancels }) => cancels), [1, 0, 1]);
  });
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

test("zip() of nothing ends, of one gives tuples of one, and keeps falsy chunks", async () => {
  await zip().getReader().closed;
  await zip({ mode: "longest" }).getReader().closed;
  assertEquals(await Array.fromAsync(zip([undefined, null, 0])), [[undefined], [null], [0]]);
});
