const formula = /^(?:[\t\r]|[\s\p{Cc}\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

/**
 * Whether a spreadsheet would run a text as a formula: it begins with one of `=`, `+`, `-`, `@` or their full-width
 * forms, after white space too, or with a tab or a carriage return.
 */
export function isFormula(text: string): boolean {
  return formula.test(text);
}

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
