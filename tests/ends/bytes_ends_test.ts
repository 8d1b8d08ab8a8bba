import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { lines, toBytes, toJson, toText } from "@hosepipe/streams";
import { findJsonFault } from "../../src/ends/find_json_fault.ts";
import { errorOf } from "../lib/error_of.ts";

const text = "\uFEFFZoë €𝄞\r\n";
const bytes = new TextEncoder().encode(text);

test("toText() reads bytes as Response.text() does, over every split in two", async () => {
  const invalid = Uint8Array.of(...bytes, 0xff, 0xe2, 0x82, 65, 0xf0, 0x9d);
  const expected = await new Response(invalid).text();
  for (let at = 0; at <= invalid.length; at++) {
    assertEquals(await toText([invalid.slice(0, at), invalid.slice(at)]), expected);
  }
  assertEquals(await toText([Uint8Array.of(0xef, 0xbb, 0xbf)]), "");
});

test("toText() puts text together as it is, over every split in two", async () => {
  for (let at = 0; at <= text.length; at++) {
    assertEquals(await toText([text.slice(0, at), text.slice(at)]), text);
  }
});

test("toText() takes what has a body", async () => {
  assertEquals(await toText(new Response("a")), "a");
  assertEquals(await toText(new Response(null)), "");
  assertEquals(await toText(new Blob(["a\nb"]), lines()), "ab");
  const request = new Request("http://localhost/", { method: "POST", body: "c" });
  assertEquals(await toText(request), "c");
  assert((await errorOf(toText(request)) as [unknown])[0] instanceof TypeError);
});

test("toText() counts code units, of bytes too, and a byte order mark not", async () => {
  const wide = new TextEncoder().encode("\uFEFF€€€");
  assertEquals(await toText([wide], { maxLength: 3 }), "€€€");
  assert((await errorOf(toText([wide], { maxLength: 2 })) as [unknown])[0] instanceof RangeError);
  assertEquals(await toText([new TextEncoder().encode("𝄞")], { maxLength: 2 }), "𝄞");
  // Few enough bytes for wide text of that length, and too many letters.
  const letters = new TextEncoder().encode("aaaa");
  assertEquals(await toText([letters], { maxLength: 4 }), "aaaa");
  assert(
    (await errorOf(toText([letters], { maxLength: 3 })) as [unknown])[0] instanceof RangeError,
  );
  const endless = function* () {
    while (true) yield new Uint8Array(1000).fill(65);
  };
  const [error] = await errorOf(toText(endless(), { maxLength: 5000 })) as [unknown];
  assert(error instanceof RangeError);
});

test("toText() keeps no chunk's memory, and refuses another kind than before", async () => {
  const buffer = new Uint8Array(2);
  const source = function* () {
    yield buffer.fill(65);
    yield buffer.fill(66);
    buffer.fill(67);
  };
  assertEquals(await toText(source()), "AABB");
  const messageOf = async (chunks: unknown[]) =>
    (await errorOf(toText(chunks as string[])) as [Error])[0].message;
  assertEquals(
    await messageOf(["a", bytes]),
    "Cannot run toText: a chunk must be a string, got a Uint8Array",
  );
  assertEquals(
    await messageOf([bytes, "a"]),
    'Cannot run toText: a chunk must be a Uint8Array, got "a"',
  );
  assertEquals(
    await messageOf([5]),
    "Cannot run toText: a chunk must be a Uint8Array or a string, got 5",
  );
});

test("toJson() parses one value, and says where text is none", async () => {
  assertEquals(await toJson(new Response(' { "a": [1, null] } ')), { a: [1, null] });
  assert((await errorOf(toJson(["{}{}"])) as [unknown])[0] instanceof SyntaxError);
});

test("toText() stops at the byte that makes its text too long for certain, and not before", async () => {
  const longest = "\uFEFF" + "€".repeat(5);
  const read: number[] = [];
  const source = function* (text: string) {
    for (const byte of new TextEncoder().encode(text)) yield Uint8Array.of(read.push(byte) && byte);
  };
  assertEquals(await toText(source(longest), { maxLength: 5 }), "€".repeat(5));
  // Five units take at most 15 bytes, the mark 3: the 19th is one too many.
  read.length = 0;
  const [error] = await errorOf(toText(source("a".repeat(100)), { maxLength: 5 })) as [Error];
  assertEquals([error.message, read.length], [
    "Cannot run toText: the text is longer than maxLength 5",
    19,
  ]);
});

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

test("toJson() takes one byte order mark at the start, of text as of bytes", async () => {
  const encoder = new TextEncoder();
  for (const text of ['{"a":1}', '\uFEFF{"a":1}']) {
    assertEquals(await toJson([text]), { a: 1 });
    assertEquals(await toJson([...text]), { a: 1 });
    assertEquals(await toJson([encoder.encode(text)]), { a: 1 });
  }
  await assertRejects(() => toJson(['{"a":\uFEFF1}']), SyntaxError);
});

test("where a text stops being JSON", () => {
  const faults: [text: string, at: number][] = [
    ["", 0],
    ["  ", 2],
    ["x", 0],
    ["[1, 2", 5],
    ["[1 2]", 3],
    ["[1,]", 3],
    ["[,]", 1],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ["{a:1}", 1],
    ["[1}", 2],
    ["1 2", 2],
    ["01", 0],
    ["1.", 0],
    ["tru", 0],
    ["truex", 0],
    ['["a\n"]', 1],
    ['"\\x"', 0],
    ["]", 0],
    [",", 0],
  ];
  for (const [text, at] of faults) assertEquals(findJsonFault(text), at, JSON.stringify(text));
});

test("a JSON text is JSON to its end, long strings included", () => {
  const values = [
    { a: [1, -2.5e3, 'x\n"\u00e9', null, true, { b: {} }], "": [] },
    [[]],
    0,
    "s",
    "x".repeat(5e6),
    "\n".repeat(1e6),
  ];
  for (const value of values) {
    const text = JSON.stringify(value, null, 1);
    assertEquals(findJsonFault(text), text.length);
  }
});

test("toJson says where the text is not JSON", async () => {
  const error = await assertRejects(
    () => toJson(['{\n  "a": 1,\n', '  "b" 2\n}']),
    SyntaxError,
    "Cannot run toJson: the text is not JSON at line 3, column 7: ",
  );
  assertEquals(error.cause instanceof SyntaxError, true);
});
