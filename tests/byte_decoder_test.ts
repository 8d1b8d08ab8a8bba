import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { lines, parseNdjson, pipeline, toArray } from "@hosepipe/streams";
import { parseCsv } from "@hosepipe/streams/formats";

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
