import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { encode, toBytes, toText } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";

test("encode() makes the bytes that the whole text has, however it is divided", async () => {
  const text = "aß€😀\n\ud800x\udc00 😀😀€".repeat(20);
  for (const size of [4, 5, 7, 64, 65_536]) {
    for (const length of [1, 2, 3, 10, 1000]) {
      const chunks: string[] = [];
      for (let at = 0; at < text.length; at += length) chunks.push(text.slice(at, at + length));
      const blocks = await run(chunks, encode({ size })) as Uint8Array[];
      assertEquals(await toBytes(blocks), new TextEncoder().encode(text));
      for (const [index, block] of blocks.entries()) {
        assert(block.length > 0 && block.length <= size);
        assert(block.length > size - 4 || index === blocks.length - 1, `${block.length}`);
      }
    }
  }
});

test("encode() makes whole blocks as soon as there is enough, in memory of their own size", async () => {
  const blocks = await run(["ab", "cd", "", "efghi"], encode({ size: 4 })) as Uint8Array[];
  assertEquals(blocks.map((block) => new TextDecoder().decode(block)), ["abcd", "efgh", "i"]);
  assertEquals(blocks.map(({ buffer }) => buffer.byteLength), [4, 4, 1]);
});

test("encode() makes U+FFFD of half a pair at the end", async () => {
  assertEquals(await toText(["a\ud83d"], encode()), "a\ufffd");
  assertEquals(await toText(["abc\ud83d", "\ude00"], encode({ size: 4 })), "abc😀");
});

test("encode() refuses what is no text, and bad arguments", async () => {
  const [error] = await errorOf(run([5], encode() as never)) as [Error];
  assertEquals(String(error), "TypeError: Cannot encode: a chunk must be a string, got 5");
  const need = "Cannot create encode: size must be";
  assertThrows(() => encode({ size: 3 }), RangeError, `${need} at least 4, got 3`);
  assertThrows(() => encode({ size: 4.5 }), RangeError, `${need} a positive integer, got 4.5`);
  assertThrows(() => encode({ size: "4" as never }), TypeError, need);
  assertThrows(() => encode({ length: 4 } as never), TypeError, 'unknown option "length"');
});
