import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { wrapWords } from "../../../../scenarios/demo/render/create_renderer.ts";

test("lines are as long as they may be, and nothing is lost", () => {
  assertEquals(wrapWords("one two three", 7), ["one two", "three"]);
  assertEquals(wrapWords("one two three", 13), ["one two three"]);
  assertEquals(wrapWords("", 5), [""]);
  assertEquals(wrapWords("a wonderful day", 4), ["a", "wond", "erfu", "l", "day"]);
  assertEquals(wrapWords("wonderful", 4), ["wond", "erfu", "l"]);
});
