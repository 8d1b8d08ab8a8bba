import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { toBytes } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";

test("toBytes() makes UTF-8 of text, over every split in three, half a pair included", async () => {
  for (const text of ["a€𝄞z", "\ud834", "\udd1e\ud834", "𝄞𝄞", "x\ud834\ud834\udd1e"]) {
    const expected = new TextEncoder().encode(text);
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const chunks = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        assertEquals(await toBytes(chunks), expected);
      }
    }
  }
});

test("toBytes() gives memory of its own, whatever the source does with its chunks", async () => {
  const buffer = Uint8Array.of(1, 2);
  const all = await toBytes((function* () {
    yield buffer;
    buffer.fill(9);
  })());
  assertEquals([all, all.buffer === buffer.buffer], [Uint8Array.of(1, 2), false]);
});

test("toBytes() counts bytes of text, and refuses another kind than before", async () => {
  assertEquals((await toBytes(["€"], { maxBytes: 3 })).length, 3);
  assert((await errorOf(toBytes(["€"], { maxBytes: 2 })) as [unknown])[0] instanceof RangeError);
  assert(
    (await errorOf(toBytes(["\ud834"], { maxBytes: 2 })) as [unknown])[0] instanceof RangeError,
  );
  for (
    const [chunks, need] of [
      [["", new Uint8Array(1)], "a string"],
      [[new Uint8Array(), "a"], "a Uint8Array"],
      [[5], "a Uint8Array or a string"],
    ] as const
  ) {
    const [error] = await errorOf(toBytes(chunks as unknown as string[])) as [Error];
    assert(error instanceof TypeError);
    assert(error.message.includes(`a chunk must be ${need}, got`), error.message);
  }
});
