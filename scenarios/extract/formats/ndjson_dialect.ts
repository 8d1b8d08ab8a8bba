import { textWindows } from "../text_windows.ts";
import type { Dialect } from "./dialect.ts";
import type { FormatOptions } from "./format_options.ts";

const asIs = (text: string) => text;

/** A JSON object a line; a field that is missing is missing there too. */
export function ndjsonDialect({ titles, isWhole = false, bom = false }: FormatOptions): Dialect {
  if (bom) throw new RangeError("Cannot write NDJSON: it must have no byte order mark");
  const twice = titles.find((title, index) => titles.indexOf(title) !== index);
  if (twice !== undefined) {
    throw new RangeError(
      `Cannot write NDJSON: fields must have different names, got ${JSON.stringify(twice)} twice`,
    );
  }
  return {
    marks: isWhole ? ["", "", "\n"] : ["{", ",", "}\n"],
    names: titles.map((title) => isWhole ? "" : `${JSON.stringify(title)}:`),
    missing: undefined,
    nullText: "null",
    plain: asIs,
    // `-0` is an integer to some who read it, and they have no such one.
    isNumberPlain: true,
    negativeZero: "-0.0",
    odd: (text) => JSON.stringify(text),
    // A line break between values of the source's JSON would end the line.
    json: (text) => text.replaceAll(/[\r\n]/g, " "),
    text: (text) => JSON.stringify(text),
    *largeText(text) {
      yield '"';
      for (const part of textWindows(text)) yield JSON.stringify(part).slice(1, -1);
      yield '"';
    },
  };
}
