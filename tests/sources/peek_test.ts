import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { peek, toArray } from "@hosepipe/streams";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

test("peek() reads one chunk where no number is given, and takes undefined as a chunk", async () => {
  const { chunks, source } = await peek([undefined, 1]);
  assertEquals([chunks, await toArray(source)], [[undefined], [undefined, 1]]);
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
