import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { stripByteOrderMark } from "../src/strip_byte_order_mark.ts";

test("one byte order mark is taken off, at the beginning alone", () => {
  const texts = ["", "\uFEFF", "\uFEFF\uFEFFa", "a\uFEFF", "a"];
  assertEquals(texts.map(stripByteOrderMark), ["", "", "\uFEFFa", "a\uFEFF", "a"]);
});
