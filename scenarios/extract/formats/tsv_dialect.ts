import { textWindows } from "../text_windows.ts";
import type { Dialect } from "./dialect.ts";
import type { FormatOptions } from "./format_options.ts";
import { isFormula } from "../../../src/formats/is_formula.ts";
import { isFormulaInParts } from "../../../src/formats/is_formula_in_parts.ts";

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

const escape = (text: string) => text.replaceAll(/[\\\t\n\r]/g, (one) => escapes[one]!);

/** Values between tabs; a tab, a line break and a backslash in a text are escaped by a backslash. */
export function tsvDialect(options: FormatOptions): Dialect {
  const { nullText = "", escapeFormulas = false } = options;
  if (/[\t\r\n]/.test(nullText)) {
    throw new RangeError(
      `Cannot write TSV: the text for NULL must have no tab or line break, got ${
        JSON.stringify(nullText)
      }`,
    );
  }
  return {
    marks: ["", "\t", "\n"],
    missing: nullText,
    nullText,
    plain: (text) => text,
    isNumberPlain: true,
    negativeZero: "-0",
    odd: (text) => text,
    json: escape,
    text: (text) => escape(escapeFormulas && isFormula(text) ? `'${text}` : text),
    *largeText(text) {
      if (escapeFormulas && isFormulaInParts(textWindows(text))) yield "'";
      for (const part of textWindows(text)) yield escape(part);
    },
  };
}
