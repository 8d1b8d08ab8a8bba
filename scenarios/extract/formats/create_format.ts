import { Buffer } from "node:buffer";
import { checkOptions } from "../../../src/errors.ts";
import { checkCsvMarks } from "../../../src/formats/check_csv_marks.ts";
import { CsvFields, isFormula, isFormulaInParts } from "../../../src/formats/csv_fields.ts";
import { JsonText, TextBytes, type Value } from "../value.ts";
import type { Row } from "../source.ts";
import type { Dialect, RowFormat } from "./dialect.ts";
import { formatNames, type FormatOptions } from "./format_options.ts";

const windowLength = 32_768;

/** Bytes after which what was made of them is collected. */
const collectBytes = 16_777_216;

/** Bun lets garbage grow as large as what is held, which is a large text. */
const bun = (globalThis as { readonly Bun?: { gc(isForced: boolean): void } }).Bun;

/** Cuts a large text into short ones, none of which begins or ends within a character. */
function* textWindows(text: string | TextBytes): Generator<string> {
  if (text instanceof TextBytes) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    for (let start = 0; start < text.bytes.length; start += windowLength) {
      yield decoder.decode(text.bytes.subarray(start, start + windowLength), { stream: true });
      if ((start + windowLength) % collectBytes === 0) bun?.gc(true);
    }
    return;
  }
  for (let start = 0; start < text.length;) {
    const last = text.charCodeAt(start + windowLength - 1);
    const end = start + windowLength + (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

const escape = (text: string) => text.replaceAll(/[\\\t\n\r]/g, (one) => escapes[one]!);

/** Values between tabs; a tab, a line break and a backslash in a text are escaped by a backslash. */
function tsvDialect(options: FormatOptions): Dialect {
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

const asIs = (text: string) => text;

/** A JSON object a line; a field that is missing is missing there too. */
function ndjsonDialect({ titles, isWhole = false, bom = false }: FormatOptions): Dialect {
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

/** CSV as `formatCsv` writes it. */
function csvDialect(options: FormatOptions): Dialect {
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

const dialects = { csv: csvDialect, tsv: tsvDialect, ndjson: ndjsonDialect };

/** A multiple of three, so that pieces of base64 are one. */
const binaryWindow = 24_576;

const largeLength = 65_536;

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

function cell(dialect: Dialect, value: Value): string | undefined {
  switch (typeof value) {
    case "string":
      return dialect.text(value);
    case "number":
      // Its text would lose the sign of zero.
      if (Object.is(value, -0)) return dialect.negativeZero;
      if (!Number.isFinite(value)) return dialect.odd(String(value));
      return dialect.isNumberPlain ? String(value) : dialect.plain(String(value));
    case "bigint":
    case "boolean":
      return dialect.plain(String(value));
    case "undefined":
      return dialect.missing;
  }
  if (value === null) return dialect.nullText;
  if (value instanceof JsonText) return dialect.json(value.text);
  if (value instanceof TextBytes) return Array.from(dialect.largeText(value)).join("");
  return dialect.text(base64(value));
}

function* largeBinary(dialect: Dialect, bytes: Uint8Array): Generator<string> {
  // Base64 has no character that any format has to do anything about, but for what stands around it.
  const [before, after] = dialect.text("_").split("_") as [string, string];
  yield before;
  for (let start = 0; start < bytes.length; start += binaryWindow) {
    yield base64(bytes.subarray(start, start + binaryWindow));
  }
  yield after;
}

function largeCell(dialect: Dialect, value: Value): Iterable<string> | undefined {
  if (typeof value === "string" && value.length > largeLength) return dialect.largeText(value);
  if (value instanceof TextBytes) return dialect.largeText(value);
  if (value instanceof Uint8Array && value.length > largeLength) return largeBinary(dialect, value);
  const text = cell(dialect, value);
  return text === undefined ? undefined : [text];
}

/**
 * Makes a writer of CSV as RFC 4180 has it, of TSV, or of JSON, one object a line.
 *
 * @throws {TypeError} If an option is unknown.
 * @throws {RangeError} If an option has a value that the format does not take, or there is no title.
 */
export function createFormat(options: FormatOptions): RowFormat {
  const action = "write rows";
  checkOptions(action, options, [
    ...["format", "titles", "isWhole", "header", "nullText", "quote", "delimiter", "bom"],
    "escapeFormulas",
  ]);
  const { format, titles, header = true, bom = false } = options;
  if (!formatNames.includes(format)) {
    throw new RangeError(
      `Cannot ${action}: format must be one of ${formatNames.join(", ")}, got ${format}`,
    );
  }
  if (titles.length === 0) throw new RangeError(`Cannot ${action}: there must be a column`);
  const dialect = dialects[format](options);
  const [before, between, after] = dialect.marks;
  const { names } = dialect;
  const hasHeader = header && names === undefined;

  const line = (row: Row): string => {
    let text = before;
    let mark = "";
    for (let index = 0; index < titles.length; index++) {
      const shown = cell(dialect, row[index]);
      if (shown === undefined) continue;
      text += names === undefined ? mark + shown : mark + names[index] + shown;
      mark = between;
    }
    return text + after;
  };
  return {
    marks: dialect.marks,
    isNumberPlain: dialect.isNumberPlain,
    ...(names === undefined ? {} : { names }),
    field: (value) => cell(dialect, value),
    header: () =>
      (bom ? "\ufeff" : "") +
      (hasHeader ? titles.map((title) => dialect.text(title)).join(between) + after : ""),
    lines(rows) {
      let text = "";
      for (let index = 0; index < rows.length; index++) text += line(rows[index]!);
      return text;
    },
    *parts(row) {
      yield before;
      let mark = "";
      for (let index = 0; index < titles.length; index++) {
        const parts = largeCell(dialect, row[index]);
        if (parts === undefined) continue;
        yield names === undefined ? mark : mark + names[index];
        yield* parts;
        mark = between;
      }
      yield after;
    },
  };
}
