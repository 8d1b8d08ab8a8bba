import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { encode, fuse, rechunk } from "@hosepipe/streams";
import type { Transformer } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Holder {
  readonly name: string;
  make(size: number, maxWaitMs?: number): Transformer<unknown, Uint8Array>;
  chunk(text: string): unknown;
}

const holders: readonly Holder[] = [
  {
    name: "encode",
    make: (size, maxWaitMs) => encode({ size, maxWaitMs }) as Transformer<unknown, Uint8Array>,
    chunk: (text) => text,
  },
  {
    name: "rechunk",
    make: (size, maxWaitMs) => rechunk(size, { maxWaitMs }) as Transformer<unknown, Uint8Array>,
    chunk: (text) => encoder.encode(text),
  },
];

for (const { name, make, chunk } of holders) {
  for (const way of ["fused", "native"]) {
    const open = (maxWaitMs?: number) => {
      const stage = make(8, maxWaitMs);
      const { readable, writable } = way === "fused" ? fuse(stage) : new TransformStream(stage);
      return { reader: readable.getReader(), writer: writable.getWriter() };
    };

    test(`${name} ${way} with maxWaitMs 0 passes on at once what comes in a turn, and leaves no timer`, async () => {
      await withTimerCount(async (pending) => {
        const { reader, writer } = open(0);
        for (const texts of [["a", "b", "c"], ["d"], ["e", "f"]]) {
          for (const text of texts) void writer.write(chunk(text));
          const { value } = await reader.read();
          assertEquals(decoder.decode(value), texts.join(""));
          await Promise.resolve();
          assertEquals(pending(), 0);
        }
        void writer.write(chunk("0123456789"));
        const texts = [(await reader.read()).value, (await reader.read()).value];
        assertEquals(texts.map((bytes) => decoder.decode(bytes)), ["01234567", "89"]);
        void writer.write(chunk("end"));
        void writer.close();
        assertEquals(decoder.decode((await reader.read()).value), "end");
        assertEquals([(await reader.read()).done, pending()], [true, 0]);
      });
    });

    test(`${name} ${way}: no end leaves a timer, and a refused chunk fails the stream`, async () => {
      await withTimerCount(async (pending) => {
        const longMs = 1e6;
        for (const end of ["cancel", "refuse"]) {
          const { reader, writer } = open(longMs);
          writer.closed.catch(() => {});
          reader.closed.catch(() => {});
          const read = errorOf(reader.read());
          await writer.write(chunk("a"));
          assertEquals(pending(), 1);
          if (end === "cancel") await reader.cancel("enough");
          else {
            await errorOf(writer.write(5));
            assertEquals((await read)[0] instanceof TypeError, true);
          }
          assertEquals(pending(), 0);
        }
        const { reader, writer } = open();
        void reader.read();
        await writer.write(chunk("a"));
        assertEquals(pending(), 0);
      });
    });
  }

  test(`${name} refuses what is no delay`, () => {
    assertThrows(() => make(8, -1), RangeError, "maxWaitMs must be a number from 0 to 2147483647");
    assertThrows(() => make(8, "1" as never), TypeError, "maxWaitMs");
  });
}

test("encode with maxWaitMs keeps half a character for the other half", async () => {
  const { readable, writable } = fuse(encode({ maxWaitMs: 0 }));
  const reader = readable.getReader();
  const writer = writable.getWriter();
  void writer.write("a\ud83d");
  assertEquals(decoder.decode((await reader.read()).value), "a");
  void writer.write("\ude00");
  assertEquals(decoder.decode((await reader.read()).value), "\u{1f600}");
});
