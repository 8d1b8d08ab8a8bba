import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { testSource } from "@hosepipe/streams/testing";
import { tee } from "../../src/sources/tee.ts";
import { drain, reasons } from "./_sources.ts";
import { counted, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

for (const kind of kinds) {
  test(`tee() gives all chunks of a ${kind} source to each branch`, async () => {
    const source = counted(kind, 5);
    const branches = tee(source.source, 3);
    assertEquals(branches.length, 3);
    const all = await Promise.all(branches.map((branch) => Array.fromAsync(branch)));
    assertEquals(all, new Array(3).fill([0, 1, 2, 3, 4]));
    assertEquals([source.reads, source.cancels], [6, 0]);
  });

  for (const reason of reasons) {
    test(`tee(): a ${kind} source that fails with ${reason} fails each branch after its chunks`, async () => {
      const source = counted(kind, 2, { failure: { reason } });
      const [first, second] = tee(source.source, 2, { highWaterMark: 5 });
      const expected = { chunks: [0, 1], error: [reason] };
      assertEquals(await drain(first!), expected as never);
      assertEquals(await drain(second!), expected as never);
    });
  }
}

test("tee() reads nothing before a branch asks, and no further ahead than its mark", async () => {
  for (const highWaterMark of [0, 1, 2, 16]) {
    const source = counted("stream");
    const [fast, slow] = tee(source.source, 2, { highWaterMark }).map((branch) =>
      branch.getReader()
    );
    await turns();
    assertEquals(source.reads, 0);
    const reads: unknown[] = [];
    for (let n = 0; n < 30; n++) fast!.read().then(({ value }) => reads.push(value));
    await turns();
    assertEquals(source.reads, highWaterMark);
    assertEquals(reads.length, highWaterMark);
    for (let n = 0; n < 5; n++) {
      assertEquals((await slow!.read()).value, n);
      await turns(2);
      assertEquals(source.reads, highWaterMark + n + 1);
    }
    await Promise.all([fast!.cancel(), slow!.cancel()]);
    assertEquals(source.cancels, 1);
  }
});

test("a cancelled branch of tee() holds nothing back, and the others go on", async () => {
  const source = counted("async", 10);
  const [first, second, third] = tee(source.source, 3);
  await second!.cancel("not me");
  const read = drain(first!);
  await turns();
  assertEquals(source.reads, 1);
  await third!.cancel("nor me");
  assertEquals((await read).chunks.length, 10);
  assertEquals(source.cancels, 0);
});

test("cancelling all branches of tee() cancels the source, with the last reason", async () => {
  const source = testSource();
  const [first, second] = tee(source.readable, 2);
  await first!.cancel("first");
  assertEquals(source.state, "open");
  await second!.cancel("second");
  assertEquals(await source.cancelled, "second");
  assertEquals(source.readable.locked, false);
  const failing = new ReadableStream({ cancel: () => Promise.reject(undefined) });
  assertEquals(await errorOf(tee(failing, 1)[0]!.cancel()), [undefined]);
});

test("a branch of tee() that is cancelled while the source is being read gets nothing more", async () => {
  const source = testSource<number>();
  const [first, second] = tee(source.readable, 2).map((branch) => branch.getReader());
  const [read, other] = [first!.read(), second!.read()];
  await turns();
  assertEquals(source.pulls, 1);
  await first!.cancel();
  assertEquals((await read).done, true);
  source.give(1);
  assertEquals((await other).value, 1);
  source.end();
  assertEquals((await second!.read()).done, true);
});

test("branches of tee() that end or fail late still get all", async () => {
  const source = counted("sync", 3);
  const [first, second] = tee(source.source, 2, { highWaterMark: Infinity });
  assertEquals(await Array.fromAsync(first!), [0, 1, 2]);
  assertEquals(await Array.fromAsync(second!), [0, 1, 2]);
});
