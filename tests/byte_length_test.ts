import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { byteLengthOf } from "../src/byte_length.ts";
import { isBytes } from "../src/is_bytes.ts";
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
