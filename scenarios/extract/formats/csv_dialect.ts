import { textWindows } from "../text_windows.ts";
import type { Dialect } from "./dialect.ts";
import type { FormatOptions } from "./format_options.ts";
import { isFormula } from "./is_formula.ts";

/** CSV as RFC 4180 has it; an empty text is quoted where a NULL is nothing. */
export function csvDialect(options: FormatOptions): Dialect {
  const { delimiter = ",", nullText = "", quote = "minimal", escapeFormulas = false } = options;
  if (delimiter.length !== 1 || '"\r\n\ufeff'.includes(delimiter)) {
    throw new RangeError(
      `Cannot write CSV: delimiter must be one character, no quote and no line break, got ${
        JSON.stringify(delimiter)
      }`,
    );
  }
  const code = delimiter.charCodeAt(0).toString(16).padStart(4, "0");
  const special = new RegExp(`["\\r\\n\\u${code}]`);
  if (special.test(nullText)) {
    throw new RangeError(
      "Cannot write CSV: the text for NULL must have no delimiter, quote or line break, got " +
        JSON.stringify(nullText),
    );
  }
  const isAlways = quote === "all";
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  // PostgreSQL 15 takes a line of it for the end, and quotes it itself.
  const end = options.titles.length === 1 ? "\\." : undefined;
  // At the start of a file one is no part of the first text.
  const isMarked = (text: string) => text.charCodeAt(0) === 0xfeff;
  const shown = (text: string) =>
    isAlways || text === nullText || text === end || special.test(text) || isMarked(text)
      ? quoted(text)
      : text;
  return {
    marks: ["", delimiter, "\r\n"],
    // An empty line would be no row at all to many who read it.
    missing: nullText === "" && options.titles.length === 1 ? '""' : nullText,
    nullText: nullText === "" && options.titles.length === 1 ? '""' : nullText,
    plain: shown,
    negativeZero: shown("-0"),
    odd: shown,
    json: shown,
    text: (text) => shown(escapeFormulas && isFormula(text) ? `'${text}` : text),
    *largeText(text) {
      let isSpecial = isAlways;
      let isDangerous: boolean | undefined;
      let isAtStart = true;
      for (const part of textWindows(text)) {
        isSpecial ||= isAtStart && isMarked(part);
        isAtStart = false;
        isDangerous ??= escapeFormulas && isFormula(part);
        isSpecial ||= special.test(part);
      }
      if (isSpecial) yield '"';
      if (isDangerous) yield "'";
      for (const part of textWindows(text)) yield part.replaceAll('"', '""');
      if (isSpecial) yield '"';
    },
  };
}
