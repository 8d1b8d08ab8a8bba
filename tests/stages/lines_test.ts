import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { assertEquals } from "@std/assert";
import { TextLineStream } from "@std/streams";
import { lines } from "../../src/stages/lines.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { run } from "../lib/run.ts";

const encoder = new TextEncoder();

/** Cuts a text's bytes, or the text, into chunks of one size. */
function cut<T extends string | Uint8Array>(whole: T, size: number): T[] {
  const chunks: T[] = [];
  for (let start = 0; start < whole.length; start += size) {
    chunks.push(whole.slice(start, start + size) as T);
  }
  return chunks;
}

/** What the standard's decoder and the standard library's splitter make of the bytes. */
function reference(chunks: Iterable<Uint8Array>): Promise<string[]> {
  return Array.fromAsync(
    from(chunks)
      .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
      .pipeThrough(new TextLineStream() as TransformStream<string, string>),
  );
}

const texts: Record<string, string> = {
  "no text": "",
  "a line without an ending": "one",
  "a line": "one\n",
  "empty lines": "\n\n\r\n\r\r\n\n",
  "both endings": "one\r\ntwo\nthree\r\n",
  "a lone carriage return": "o\rne\r\r\ntwo\r",
  "a carriage return at the end": "one\n\r",
  "more than ASCII": "äé\n漢字\r\n😀😀\n€",
  "a byte order mark": "\uFEFFone\n\uFEFFtwo",
  "nothing but a byte order mark": "\uFEFF",
};

for (const [name, text] of Object.entries(texts)) {
  test(`lines() splits ${name} as TextDecoderStream and TextLineStream do`, async () => {
    const bytes = encoder.encode(text);
    for (let size = 1; size <= Math.max(bytes.length, 1); size++) {
      const chunks = cut(bytes, size);
      assertEquals(await run(chunks, lines()), await reference(chunks), `bytes by ${size}`);
      // A mark before text is left out, too.
      const expected = await Array.fromAsync(
        from(cut(text.replace(/^\uFEFF/, ""), size))
          .pipeThrough(new TextLineStream() as TransformStream<string, string>),
      );
      assertEquals(await run(cut(text, size), lines()), expected, `text by ${size}`);
    }
  });
}

test("lines() replaces what is not UTF-8, as TextDecoderStream does", async () => {
  let seed = 1;
  const random = (limit: number) => (seed = seed * 48271 % 2147483647) % limit;
  const alphabet = [10, 13, 10, 65, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xf0, 0x9f, 0xff, 0xef, 0xbb];
  for (let round = 0; round < 200; round++) {
    const bytes = Uint8Array.from({ length: random(30) }, () => alphabet[random(alphabet.length)]!);
    const chunks = cut(bytes, 1 + random(6));
    assertEquals(await run(chunks, lines()), await reference(chunks), `bytes ${bytes}`);
  }
});

test("lines() leaves out empty chunks, and takes views of a part of a buffer", async () => {
  const bytes = encoder.encode("--one\ntwo--");
  const chunks = [new Uint8Array(), bytes.subarray(2, 7), new Uint8Array(), bytes.subarray(7, 9)];
  assertEquals(await run(chunks, lines()), ["one", "two"]);
  assertEquals(await run(["", "a", "", "\n", ""], lines()), ["a"]);
});

test("lines() keeps no hold of a chunk's buffer", async () => {
  const shared = new Uint8Array(4);
  const chunks = function* () {
    for (const text of ["ab\nc", "d\nef", "gh\ni"]) {
      shared.set(encoder.encode(text));
      yield shared;
    }
  };
  assertEquals(await run(chunks(), lines()), ["ab", "cd", "efgh", "i"]);
});

test("lines() splits a line of 10 MB that comes in pieces", async () => {
  const piece = new Uint8Array(64 * 1024).fill(65);
  const chunks = function* () {
    for (let count = 0; count < 160; count++) yield piece;
    yield encoder.encode("\nend");
  };
  const [long, end] = await run(chunks(), lines());
  assertEquals([long!.length, end], [160 * 64 * 1024, "end"]);
});

const tooLong = (line: number, limit: number) =>
  `Cannot split into lines: line ${line} is longer than maxLength ${limit}`;

test("lines() holds to maxLength in code units, however the chunks are cut", async () => {
  for (const text of ["\uFEFFabc\r\nxy\nabc\r", "äöü\r\n", "😀a\n", "a\u20ac😀"]) {
    const length = Math.max(
      ...text.replace("\uFEFF", "").split(/\r?\n/).map((line) => line.length),
    );
    for (let size = 1; size <= 12; size++) {
      const chunks = cut(encoder.encode(text), size);
      const unlimited = await run(chunks, lines());
      assertEquals(await run(chunks, lines({ maxLength: length })), unlimited);
      const [error] = await errorOf(run(chunks, lines({ maxLength: length - 1 }))) as [RangeError];
      assertEquals(error.constructor, RangeError, `${JSON.stringify(text)} by ${size}`);
    }
  }
});

test("lines() says which line is too long, and the limit", async () => {
  for (const text of ["abc\nab\nabcd\n", "abc\nab\nabcd", "abc\r\nab\r\nabcd\r\n"]) {
    for (const whole of [text, encoder.encode(text)]) {
      for (const size of [1, 2, 100]) {
        const [error] = await errorOf(run(cut(whole, size), lines({ maxLength: 3 }))) as [Error];
        assertEquals(error.message, tooLong(3, 3));
      }
    }
  }
});

test("lines() refuses a line that is too long before its end has come", async () => {
  for (
    const [chunk, most] of [["a", 11], ["€", 11], [new Uint8Array([65]), 11], [
      new Uint8Array([0xe2, 0x82, 0xac]),
      11,
    ], [new Uint8Array([0x80]), 35]] as const
  ) {
    let taken = 0;
    const endless = function* () {
      while (true) {
        taken++;
        yield chunk;
      }
    };
    const [error] = await errorOf(run(endless(), lines({ maxLength: 10 }))) as [Error];
    assertEquals([error.message, taken <= most + 1], [tooLong(1, 10), true], `took ${taken}`);
  }
});

test("lines() with a maxLength of 0 lets only empty lines through", async () => {
  assertEquals(await run(["\n\r", "\n"], lines({ maxLength: 0 })), ["", ""]);
  const [error] = await errorOf(run(["\na"], lines({ maxLength: 0 }))) as [Error];
  assertEquals(error.message, tooLong(2, 0));
});

test("lines() refuses a mix of bytes and text, and other chunks", async () => {
  const bytes = encoder.encode("a");
  const mixed = "Cannot split into lines: chunks must be all bytes or all text, got";
  for (
    const [chunks, message] of [
      [[bytes, "a"], `${mixed} text after bytes`],
      [["a", bytes], `${mixed} bytes after text`],
      [[5], "Cannot split into lines: a chunk must be a Uint8Array or a string, got 5"],
    ] as const
  ) {
    const [error] = await errorOf(run<never, string>(chunks as never, lines())) as [TypeError];
    assertEquals([error.constructor, error.message], [TypeError, message]);
  }
});

test("lines() takes a Uint8Array of another realm", async () => {
  const foreign: Uint8Array = runInNewContext("Uint8Array.of(97, 10, 98)");
  assertEquals(foreign instanceof Uint8Array, false);
  assertEquals(await run([foreign], lines()), ["a", "b"]);
});

test("lines() refuses a line that is too long by one unit as soon as it has that, in text and in bytes", async () => {
  for (
    const [start, more, limit] of [["", "abcd", 3], ["ab\n", "abcd", 3], ["", "\uFEFFabcd", 3]]
  ) {
    for (const encode of [(text: string) => text, (text: string) => encoder.encode(text)]) {
      let asked = 0;
      const source = function* () {
        if (start !== "") yield encode(start as string);
        yield encode(more as string);
        asked++;
        yield encode("\n");
      };
      const maxLength = limit as number;
      await errorOf(run(source(), lines({ maxLength })));
      assertEquals(asked, 0, JSON.stringify([start, more]));
      asked = 0;
      await errorOf(run(source(), lines({ maxLength: maxLength + 1 })));
      assertEquals(asked, 1, JSON.stringify([start, more]));
    }
  }
});
