import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { formatNdjson } from "../../src/stages/format_ndjson.ts";
import { parseNdjson } from "../../src/stages/parse_ndjson.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";
import { from } from "../lib/from.ts";

const text = '\uFEFF{"a":"Zoë €𝄞"}\r\n\n  \t\r\n[1,2]\nnull\r\n\r\n"x\\ny"\n7';
const expected = [{ a: "Zoë €𝄞" }, [1, 2], null, "x\ny", 7];
const bytes = new TextEncoder().encode(text);

test("parseNdjson() is the same over every split of its bytes in two and in three", async () => {
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second += 1 + (first % 3)) {
      const chunks = [bytes.slice(0, first), bytes.slice(first, second), bytes.slice(second)];
      assertEquals(await run(chunks, parseNdjson()), expected);
    }
  }
  assertEquals(
    await run(Array.from(bytes, (byte) => Uint8Array.of(byte)), parseNdjson()),
    expected,
  );
});

test("parseNdjson() is the same over every split of its text in two, also in half a pair", async () => {
  for (let at = 0; at <= text.length; at++) {
    assertEquals(await run([text.slice(0, at), text.slice(at)], parseNdjson()), expected);
  }
});

test("parseNdjson() gives what came before a line that is not JSON, and shows where it begins", async () => {
  for (const encode of [(line: string) => line, (line: string) => new TextEncoder().encode(line)]) {
    const long = `{"a":${"x".repeat(200)}}`;
    const reader = from([encode(`1\n\n2\n${long}\n3\n`)])
      .pipeThrough(new TransformStream(parseNdjson(), undefined, { highWaterMark: 5 })).getReader();
    assertEquals((await reader.read()).value, 1);
    assertEquals((await reader.read()).value, 2);
    const [error] = await errorOf(reader.read()) as [SyntaxError];
    assertEquals(error instanceof SyntaxError, true);
    const shown = JSON.stringify(long.slice(0, 80));
    assertEquals(error.message, `Cannot parse NDJSON: line 4 is not JSON: ${shown}…`);
    assertEquals(error.cause instanceof SyntaxError, true);
  }
  const [short] = await errorOf(run(["oops"], parseNdjson())) as [Error];
  assertEquals(short.message, 'Cannot parse NDJSON: line 1 is not JSON: "oops"');
});

test("parseNdjson() takes a byte order mark at the start alone", async () => {
  assertEquals(await run(["\uFEFF1\n2"], parseNdjson()), [1, 2]);
  const [error] = await errorOf(run(["1\n\uFEFF2"], parseNdjson())) as [Error];
  assertEquals(error.message.startsWith("Cannot parse NDJSON: line 2 is not JSON"), true);
});

test("parseNdjson() fails a line longer than maxLength, also before its end", async () => {
  const message = "RangeError: Cannot parse NDJSON: line 2 is longer than maxLength 5";
  const [error] = await errorOf(run(["12345\n[1,2,3]\n"], parseNdjson({ maxLength: 5 }))) as [
    Error,
  ];
  assertEquals(String(error), message);
  const endless = function* () {
    yield "1\n";
    while (true) yield "[1,";
  };
  assertEquals(String((await errorOf(run(endless(), parseNdjson({ maxLength: 5 }))))[0]), message);
});

test("parseNdjson() gives nothing for nothing, and refuses other chunks and options", async () => {
  assertEquals(await run([], parseNdjson()), []);
  assertEquals(await run(["", "\n", "\r\n"], parseNdjson()), []);
  assertEquals(
    String((await errorOf(run([{} as never], parseNdjson())))[0]),
    "TypeError: Cannot parse NDJSON: a chunk must be a Uint8Array or a string, got an object",
  );
  assertThrows(
    () => parseNdjson({ maxLength: -1 }),
    RangeError,
    "Cannot create parseNdjson: maxLen",
  );
  assertThrows(() => parseNdjson({ max: 1 } as never), TypeError, 'unknown option "max"');
});

const values = [null, 0, "", false, "a\nb\r\n\u2028", { a: [1, { b: "€𝄞" }] }, [], 1e300, -0.5];

test("formatNdjson() gives a line for each value, which parseNdjson() reads again", async () => {
  const text = await run(values, formatNdjson());
  assertEquals(text.length, values.length);
  assertEquals(
    text.every((line) => line.endsWith("\n") && line.indexOf("\n") === line.length - 1),
    true,
  );
  assertEquals(await run(text, parseNdjson()), values);
  assertEquals(await run([], formatNdjson()), []);
});

test("formatNdjson() refuses what JSON has nothing for, and says which chunk", async () => {
  for (const value of [undefined, () => {}, Symbol("a")]) {
    assertEquals(
      String((await errorOf(run([1, value], formatNdjson())))[0]),
      `TypeError: Cannot format NDJSON: chunk 2 is ${typeof value}, which JSON has nothing for`,
    );
  }
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const value of [circle, 1n]) {
    const [error] = await errorOf(run([value], formatNdjson())) as [unknown];
    assertEquals(error instanceof TypeError, true);
  }
});
