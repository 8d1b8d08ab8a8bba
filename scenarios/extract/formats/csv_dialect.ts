import { checkCsvMarks } from "../../../src/formats/check_csv_marks.ts";
import { CsvFields } from "../../../src/formats/csv_fields.ts";
import { textWindows } from "../text_windows.ts";
import type { Dialect } from "./dialect.ts";
import type { FormatOptions } from "./format_options.ts";

/** CSV as `formatCsv` writes it. */
export function csvDialect(options: FormatOptions): Dialect {
  const { delimiter = ",", nullText = "", quote = "minimal", escapeFormulas = false } = options;
  checkCsvMarks("write CSV", delimiter, '"');
  const fields = new CsvFields(
    { delimiter, quote: '"', quoteAll: quote === "all", nullText, escapeFormulas },
    options.titles.length,
  );
  const plain = (text: string) => fields.plain(text);
  return {
    marks: ["", delimiter, "\r\n"],
    ...{ missing: fields.missing, nullText: fields.missing },
    isNumberPlain: quote === "minimal" && options.titles.length > 1 &&
      /^[,;|\t]$/.test(delimiter) &&
      !/\d/.test(nullText),
    ...{ plain, negativeZero: plain("-0"), odd: plain, json: plain },
    text: (text) => fields.text(text),
    largeText: (text) => fields.parts(() => textWindows(text)),
  };
}
