import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { expectDiagram, testSource } from "@hosepipe/streams/testing";
import { merge } from "../../src/sources/merge.ts";
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
