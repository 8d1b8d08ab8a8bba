import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { instrumentExample } from "../../../scripts/site/examples/instrument_example.ts";

const options = { hook: "look", resolve: (specifier: string) => `file:///${specifier}` };

test("imports get their addresses, and assertions the look, nested ones too", () => {
  const { code } = instrumentExample(
    [
      'import type { A } from "a";',
      'import { b } from "b";',
      "assertThrows(() => assertEquals(b(), [1]), Error);",
      "expect(b);",
    ].join("\n"),
    options,
  );
  assertEquals(code.split("\n"), [
    'import type { A } from "file:///a";',
    'import { b } from "file:///b";',
    "look(0,assertThrows)(() => look(1,assertEquals)(b(), [1]), Error);",
    "expect(b);",
  ]);
});

test("code on several lines is put on one", () => {
  const { places } = instrumentExample(
    "assertEquals(\n  await f(\n    1,\n    {\n      a: [\n        2,\n      ],\n    },\n  ),\n  3,\n);",
    options,
  );
  assertEquals(places, [
    { name: "assertEquals", of: "await f(1, { a: [2] })", to: "3", isLiteral: true },
  ]);
});

test("a value of the program is no literal, a constant of a class is one", () => {
  const { places } = instrumentExample(
    ["[1, new Map([[1, 2]])]", "Uint8Array.of(1)", "span.id", "[f().a]", "ids[0]", "name"]
      .map((to) => `assertEquals(x, ${to});`).join("\n"),
    options,
  );
  assertEquals(places.map(({ isLiteral }) => isLiteral), [true, true, false, false, false, false]);
});
