import { Buffer } from "node:buffer";
import { checkOptions } from "../../../src/errors.ts";
import { JsonText } from "../json_text.ts";
import type { Row } from "../row_batch.ts";
import { TextBytes } from "../text_bytes.ts";
import type { Value } from "../value.ts";
import { csvDialect } from "./csv_dialect.ts";
import type { Dialect } from "./dialect.ts";
import { formatNames, type FormatOptions } from "./format_options.ts";
import { ndjsonDialect } from "./ndjson_dialect.ts";
import type { RowFormat } from "./row_format.ts";
import { tsvDialect } from "./tsv_dialect.ts";

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
