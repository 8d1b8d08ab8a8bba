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
  const shown = (text: string) =>
    isAlways || text === nullText || special.test(text) ? quoted(text) : text;
  return {
    marks: ["", delimiter, "\r\n"],
    // An empty line would be no row at all to many who read it.
    missing: nullText === "" && options.titles.length === 1 ? '""' : nullText,
    nullText: nullText === "" && options.titles.length === 1 ? '""' : nullText,
    plain: shown,
    odd: shown,
    json: shown,
    text: (text) => shown(escapeFormulas && isFormula(text) ? `'${text}` : text),
    *largeText(text) {
      let isSpecial = isAlways;
      let isDangerous: boolean | undefined;
      for (const part of textWindows(text)) {
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
