import { isFormula } from "./is_formula.ts";

const blanks = /^[\s\p{Cc}\ufeff]*$/u;

/** Whether a spreadsheet would run a text as a formula that comes in parts; no more of them are read than tell. */
export function isFormulaInParts(parts: Iterable<string>): boolean {
  let before = "";
  for (const part of parts) {
    if (isFormula(before + part)) return true;
    if (!blanks.test(part)) return false;
    if (part !== "") before = " ";
  }
  return false;
}
