import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { toJson } from "@hosepipe/streams";
import { findJsonFault } from "../../src/ends/find_json_fault.ts";

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
