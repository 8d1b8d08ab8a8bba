import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { lines, parseNdjson, pipeline, toArray } from "@hosepipe/streams";
import { parseCsv } from "@hosepipe/streams/formats";
import { isWithBody, isWithStream } from "../src/body_of.ts";
import { ByteGatherer } from "../src/byte_gatherer.ts";
import { byteLengthOf } from "../src/byte_length.ts";
import { isBytes, joinBytes } from "../src/is_bytes.ts";
import { kindsOfBinary } from "./lib/kinds_of_binary.ts";

const { encode } = TextEncoder.prototype;
const encoded = (text: string) => encode.call(new TextEncoder(), text).length;

test("byteLengthOf counts a text as its encoding is long, at every border and with lone surrogates", () => {
  const units = [
    ...[0x00, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff],
  ].map((unit) => String.fromCharCode(unit));
  const texts = ["", ...units];
  for (const one of units) {
    for (const two of units) {
      texts.push(one + two);
      for (const three of units) texts.push(one + two + three);
    }
  }
  for (const text of texts) {
    assertEquals(byteLengthOf(text), encoded(text), JSON.stringify(text));
  }
});

test("byteLengthOf knows each kind of binary that isBytes does, by what it covers, and nothing else", () => {
  assertEquals(byteLengthOf(new Uint8Array(new ArrayBuffer(16), 3, 5)), 5);
  for (const { name, make, refusedAs } of kindsOfBinary) {
    const value = make(new Uint8Array(8));
    assertEquals(byteLengthOf(value), refusedAs === undefined ? 8 : undefined, name);
    assertEquals(isBytes(value), refusedAs === undefined, name);
  }
  for (const other of [undefined, null, 3, {}, { length: 2 }, { byteLength: 2 }]) {
    assertEquals(byteLengthOf(other), undefined);
  }
});

test("what is gathered is what came, in memory of its own, however long each was", () => {
  for (const most of [1, 64, 70_000, Infinity]) {
    const bytes = new ByteGatherer(most);
    for (
      const lengths of [[], [0], [1], [64], [63, 1], [1, 64, 1], [4095, 4096, 5], [5, 65_536, 5]]
    ) {
      const parts = lengths.map((length, n) => new Uint8Array(length).fill(n + 1));
      const length = lengths.reduce((sum, one) => sum + one, 0);
      for (const part of parts) bytes.add(part);
      const expected = joinBytes(parts, length);
      assertEquals(bytes.length, length);
      for (const part of parts) part.fill(99);
      const whole = bytes.take();
      assertEquals([whole, whole.buffer.byteLength, bytes.length], [expected, length, 0]);
    }
    const reused = new Uint8Array(3);
    for (let n = 0; n < 50_000; n++) bytes.add(reused.fill(n));
    const whole = bytes.take();
    assertEquals(whole.length, 150_000);
    assertEquals(whole.every((byte, at) => byte === (Math.floor(at / 3) & 255)), true);
  }
});

const parsers = {
  lines: { parse: lines, action: "split into lines" },
  parseNdjson: { parse: parseNdjson, action: "parse NDJSON" },
  parseCsv: {
    parse: (options: { encoding?: string; fatal?: boolean }) =>
      parseCsv({ header: false, ...options }),
    action: "parse CSV",
  },
};

/** A text that each of them reads as two records. */
const quoted = (text: string) => `"${text}"\n"b"\n`;

const encoder = new TextEncoder();
const join = (...parts: (string | number[])[]) =>
  Uint8Array.from(
    parts.flatMap((part) => typeof part === "string" ? [...encoder.encode(part)] : part),
  );
const utf16 = (text: string) =>
  Uint8Array.from([...text].flatMap((one) => [one.charCodeAt(0) & 255, one.charCodeAt(0) >> 8]));

/** The bytes cut in two at each place, and one by one. */
function* cutsOf(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at++) yield [bytes.slice(0, at), bytes.slice(at)];
  yield Array.from(bytes, (byte) => Uint8Array.of(byte));
}

for (const [name, { parse, action }] of Object.entries(parsers)) {
  test(`${name} reads bytes of other encodings, wherever they are cut`, async () => {
    const expected = await toArray([quoted("aüß€")], parse({}));
    const cases = {
      "windows-1252": join('"a', [0xfc, 0xdf, 0x80], '"\n"b"\n'),
      latin1: join('"a', [0xfc, 0xdf, 0x80], '"\n"b"\n'),
      "utf-16le": utf16(`\ufeff${quoted("aüß€")}`),
      "UTF-8": encoder.encode(`\ufeff${quoted("aüß€")}`),
    };
    for (const [encoding, bytes] of Object.entries(cases)) {
      for (const chunks of cutsOf(bytes)) {
        assertEquals(await toArray(chunks, parse({ encoding, fatal: true })), expected, encoding);
      }
    }
    assertEquals(
      await toArray([quoted("aüß€")], parse({ encoding: "utf-16le", fatal: true })),
      expected,
    );
  });

  test(`${name} gives what is before bytes that are no text, and says where they are`, async () => {
    const cases: [Uint8Array, RegExp][] = [
      [join('"1"\n"M', [0xfc], 'ller"\n"3"\n'), /: line 2: byte 7, 0xfc, is not UTF-8$/],
      [join('"1"\n"', [0xe2, 0x82], 'r"\n"3"\n'), /: line 2: byte 6, 0xe2, is not UTF-8$/],
      [join('"1"\n"ü', [0xed, 0xa0, 0x80], '"\n'), /: line 2: byte 8, 0xed, is not UTF-8$/],
      [join('"1"\n"2', [0xf0, 0x9f]), /: line 2: byte 7, 0xf0, is not UTF-8$/],
    ];
    for (const [bytes, problem] of cases) {
      for (const chunks of cutsOf(bytes)) {
        const taken: unknown[] = [];
        const run = pipeline(
          chunks,
          parse({ fatal: true }) as never,
          (one) => void taken.push(one),
        );
        const { message } = await assertRejects(() => run, SyntaxError);
        assertEquals(problem.exec(message)?.[0] ?? message, problem.exec(message)?.[0]);
        assertEquals(message.startsWith(`Cannot ${action}: `), true, message);
        assertEquals(taken.map(String).join().replaceAll('"', ""), "1");
        if (bytes.at(-1) !== 10) continue;
        const all = await toArray(chunks, parse({}) as never);
        assertEquals(all.length, bytes.includes(51) ? 3 : 2);
      }
    }
    const odd = utf16(quoted("a")).slice(0, -1);
    await assertRejects(
      () => toArray([odd], parse({ encoding: "utf-16le", fatal: true })),
      SyntaxError,
      "is not utf-16le",
    );
  });

  test(`${name} refuses an encoding that is none, and what is no boolean`, () => {
    assertThrows(() => parse({ encoding: "utf-9" }), RangeError, 'knows, got "utf-9"');
    assertThrows(
      () => parse({ encoding: 8 as never }),
      TypeError,
      "encoding must be a string, got 8",
    );
    assertThrows(() => parse({ fatal: 1 as never }), TypeError, "fatal must be a boolean, got 1");
  });
}

test("a Blob, a File, a Response and a Request have a body, of whatever realm", () => {
  const request = new Request("http://localhost/", { method: "POST", body: "text" });
  const stream = new Blob(["text"]).stream();
  const bodies = [new Response("text"), new Response(null), request, {
    body: stream,
    bodyUsed: false,
  }];
  for (const value of bodies) assert(isWithBody(value));
  const streams = [new Blob(["text"]), new File(["text"], "name"), { size: 4, stream() {} }];
  for (const value of streams) assert(isWithStream(value));
});

test("what only looks like it has none", () => {
  const stream = new ReadableStream();
  for (
    const value of [
      ...[() => {}, {}, [], stream, { body: "text" }, { body: "text", bodyUsed: 1 }],
      ...[{ bodyUsed: false }, { size: 4 }, { stream() {} }, { size: "4", stream() {} }],
      { size: 4, stream },
    ]
  ) assertEquals([isWithBody(value), isWithStream(value)], [false, false]);
});
