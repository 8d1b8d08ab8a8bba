import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { showValue } from "../../../scripts/site/examples/show_value.ts";

test("values are shown as they stand in code", () => {
  assertEquals(
    showValue([1, "a", null, undefined, true, 2n]),
    '[1, "a", null, undefined, true, 2]',
  );
  assertEquals(showValue({ a: [], b: {} }), "{ a: [], b: {} }");
  assertEquals(showValue(new Map([["a", 1]])), 'Map { "a" => 1 }');
  assertEquals(showValue(Uint8Array.of(1, 2)), "Uint8Array [1, 2]");
  assertEquals(showValue(new TypeError("no")), "TypeError: no");
});

test("text is quoted so that it needs the fewest escapes", () => {
  assertEquals(showValue("a\nb"), '"a\\nb"');
  assertEquals(showValue('{"id":1}'), `'{"id":1}'`);
  assertEquals(showValue(`"it's"`), `"\\"it's\\""`);
});

test("what is longer than a line has a part on each", () => {
  const long = "x".repeat(50);
  assertEquals(
    showValue([{ a: long }, { b: long }]),
    `[\n  { a: "${long}" },\n  { b: "${long}" },\n]`,
  );
});
