import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { wrapProse } from "../../../scripts/command_line/wrap_prose.ts";

test("lines are filled to the width and no further", () => {
  assertEquals(wrapProse("aa bb cc  dd\nee", 5), "aa bb\ncc dd\nee");
  assertEquals(wrapProse("aa longer bb", 4), "aa\nlonger\nbb");
  assertEquals(wrapProse("", 5), "");
});

test("code is never broken, punctuation stays with it", () => {
  assertEquals(wrapProse("run `a b c`, then", 9), "run\n`a b c`,\nthen");
});
