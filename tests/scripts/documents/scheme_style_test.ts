import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { schemeStyle } from "../../../scripts/documents/scheme_style.ts";
import { palette } from "../../../scripts/report/palette.ts";

test("the palette's names become colours of light pages, with rules for dark ones", () => {
  const svg = schemeStyle(
    `<svg><desc></desc><path fill="${palette.ink}" stroke="${palette.blue}"/></svg>`,
  );
  assertStringIncludes(svg, '<path fill="#16181d" stroke="#0072b2"/>');
  assertStringIncludes(svg, '[fill="#16181d"] { fill: #eceef1 }');
  assertStringIncludes(svg, '[stroke="#0072b2"] { stroke: #56b4e9 }');
  assertEquals(svg.split("<style>").length, 2);
});
