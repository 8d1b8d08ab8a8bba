import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { peek, toArray } from "@hosepipe/streams";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { counted, kinds } from "../lib/counted.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { range } from "../lib/range.ts";
import { reasons } from "../lib/reasons.ts";
import { turns } from "../lib/turns.ts";

for (const kind of kinds) {
  test(`peek() of a ${kind} source reads n chunks, none beyond, and loses none`, async () => {
    for (const length of [0, 1, 2, 3, 10]) {
      for (const n of [1, 2, 3]) {
        const source = counted(kind, length);
        const peeked = await peek(source.source, n);
        await turns(2);
        // The end is read only where chunks are missing.
        assertEquals(source.reads, Math.min(n, length + 1));
        assertEquals(peeked.chunks, range(Math.min(n, length)));
        assertEquals(await toArray(peeked.source), range(length));
        assertEquals(source.cancels, 0);
      }
    }
  });
}

test("peek() reads one chunk where no number is given, and takes undefined as a chunk", async () => {
  const { chunks, source } = await peek([undefined, 1]);
  assertEquals([chunks, await toArray(source)], [[undefined], [undefined, 1]]);
});

test("peek() rejects with a failure among the first chunks, a later one is the source's", async () => {
  for (const { reason } of reasons) {
    const failing = () => countedSource({ length: 1, atEnd: { reason } }).readable;
    assertEquals(await errorOf(peek(failing(), 2)), [reason]);
    const { chunks, source } = await peek(failing(), 1);
    const reader = source.getReader();
    assertEquals([chunks, (await reader.read()).value], [[0], 0]);
    assertEquals(await errorOf(reader.read()), [reason]);
  }
});

test("what peek() returns is given up by a cancel, with the reason", async () => {
  const source = countedSource();
  const reason = new Error("enough");
  await (await peek(source.readable, 2)).source.cancel(reason);
  assertEquals([source.readCount, source.cancelReasons], [2, [reason]]);
});

test("what peek() returns is given up by await using, unless it has ended", async () => {
  const source = countedSource();
  const unhandled = collectUnhandled();
  let kept!: ReadableStream<number>;
  {
    await using head = await peek(source.readable, 2);
    kept = head.source;
  }
  assertEquals([source.readCount, source.cancelReasons.length], [2, 1]);
  await assertRejects(() => toArray(kept), DOMException, "the source was disposed of");
  const three = countedSource({ length: 3 });
  {
    await using head = await peek(three.readable, 2);
    assertEquals(await toArray(head.source), [0, 1, 2]);
  }
  assertEquals(three.cancelReasons, []);
  // A read that hangs is ended, too.
  const stalling = countedSource({ length: 1, atEnd: "stall" });
  const head = await peek(stalling.readable);
  const reader = head.source.getReader();
  await reader.read();
  const read = errorOf(reader.read());
  await head[Symbol.asyncDispose]();
  assertEquals(((await read) as [Error])[0].name, "AbortError");
  await head[Symbol.asyncDispose]();
  await turns(2);
  assertEquals(unhandled.take(), []);
  unhandled.close();
});

test("peek() refuses what is no source, is locked, or no number of chunks", async () => {
  const locked = new ReadableStream();
  locked.getReader();
  await assertRejects(() => peek(5 as never), TypeError, "Cannot peek: source must be a Readable");
  await assertRejects(() => peek(locked), TypeError, "source is locked");
  const untouched = countedSource();
  await assertRejects(
    () => peek(untouched.readable, 0),
    RangeError,
    "n must be a positive integer",
  );
  await assertRejects(() => peek(untouched.readable, "1" as never), TypeError, "n must be a posi");
  assertEquals(untouched.readable.locked, false);
});
