import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { isFormula, isFormulaInParts } from "../../src/formats/is_formula.ts";

test("a text is a formula in parts if it is one as a whole", () => {
  const part = fc.string({ unit: fc.constantFrom(..." \t\r\n\0\ufeff\u3000=+＝a'"), maxLength: 3 });
  fc.assert(fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
    assertEquals(isFormulaInParts(parts), isFormula(parts.join("")));
  }));
});

test("no more parts are read than tell", () => {
  const read: string[] = [];
  const parts = function* () {
    for (const part of ["  ", "a", "="]) {
      read.push(part);
      yield part;
    }
  };
  assertEquals([isFormulaInParts(parts()), read], [false, ["  ", "a"]]);
});
