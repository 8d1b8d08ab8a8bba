import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { byteLengthOf } from "../src/byte_length.ts";

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

test("byteLengthOf knows every kind of bytes, by what it covers, and nothing else", () => {
  const buffer = new ArrayBuffer(16);
  assertEquals(byteLengthOf(new Uint8Array(buffer, 3, 5)), 5);
  assertEquals(byteLengthOf(new Float64Array(buffer, 8)), 8);
  assertEquals(byteLengthOf(new DataView(buffer, 1, 7)), 7);
  assertEquals(byteLengthOf(buffer), 16);
  for (const other of [undefined, null, 3, {}, [1, 2], { length: 2 }, { byteLength: 2 }]) {
    assertEquals(byteLengthOf(other), undefined);
  }
});
