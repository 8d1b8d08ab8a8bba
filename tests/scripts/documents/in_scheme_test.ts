import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { inScheme } from "../../../scripts/documents/in_scheme.ts";

const svg =
  "<style>a { fill: black }\n@media (prefers-color-scheme: dark) { a { fill: white } b { x: 1 } }\nc { x: 2 }</style>";

test("a scheme's rules are the image's own, the other scheme's are gone", () => {
  assertEquals(
    inScheme(svg, "dark"),
    "<style>a { fill: black }\na { fill: white } b { x: 1 }\nc { x: 2 }</style>",
  );
  assertEquals(inScheme(svg, "light"), "<style>a { fill: black }\n\nc { x: 2 }</style>");
});

test("an image that does not follow the scheme is refused", () => {
  assertThrows(() => inScheme("<style>a { fill: black }</style>", "dark"), Error, "no block");
});
