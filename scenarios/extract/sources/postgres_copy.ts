import { Buffer } from "node:buffer";
import { createFormat } from "../formats/create_format.ts";
import { fieldPrefixes } from "../formats/dialect.ts";
import type { FormatOptions } from "../formats/format_options.ts";
import { JsonText, type Value } from "../value.ts";
import { copyChanges, type CopyMarks } from "./copy_values.ts";
import { postgresTypes as t } from "./postgres_value.ts";
import { quoteText, type SqlColumn } from "./sql_shape.ts";

const lastCode = 127;

/**
 * What becomes of each byte of what `write` writes, found out by asking it: itself (0), a letter after a backslash,
 * `\u00` and two digits (`u`), or another character alone.
 */
function textEscapes(write: (text: string) => string): Uint8Array {
  const escapes = new Uint8Array(256);
  const start = write("aa").indexOf("aa") + 1;
  for (let code = 0; code <= lastCode; code++) {
    const one = String.fromCharCode(code);
    const made = write(`a${one}a`).slice(start, -start);
    if (made !== one) escapes[code] = made.charCodeAt(made[0] === "\\" ? 1 : 0);
  }
  return escapes;
}

/** How the server writes the lines of a format. */
export interface PostgresCopy {
  /** What stands for each column, or for all of them. */
  readonly fields: readonly string[];
  readonly options: string;
  readonly marks: CopyMarks;
}

interface Column extends SqlColumn {
  readonly type: number;
}

const numbers = new Set<number>([t.int2, t.int4, t.int8, t.oid, t.float4, t.float8, t.numeric]);

/** What a line of CSV needs that the server writes its values of, so that they are as we write them. */
function changeOf({ type }: Column, escapeFormulas: boolean): number {
  const { none, boolean, timestamp, timestamptz, formula, infinite } = copyChanges;
  if (type === t.bool) return boolean;
  if (!escapeFormulas) {
    return type === t.timestamp ? timestamp : type === t.timestamptz ? timestamptz : none;
  }
  if (type === t.timestamp || type === t.timestamptz) {
    return formula | (type === t.timestamp ? timestamp : timestamptz);
  }
  if (numbers.has(type)) return infinite;
  return type === t.json || type === t.jsonb ? none : formula;
}

/** What the server makes a text of, where nothing is changed here. */
function textOf({ expression: x, type }: Column): string {
  // Times before Christ are left as they are, and infinite ones.
  const isUsual = `isfinite(${x}) AND ${x} >= '0001-01-01'`;
  switch (type) {
    case t.bool:
      return `CASE WHEN ${x} THEN 'true' WHEN NOT ${x} THEN 'false' END`;
    case t.bytea:
      return `translate(encode(${x}, 'base64'), E'\\n', '')`;
    case t.timestamp:
      return `CASE WHEN ${isUsual} THEN replace(${x}::text, ' ', 'T') ELSE ${x}::text END`;
    case t.timestamptz:
      return `CASE WHEN ${isUsual} THEN replace(left(${x}::text, -3), ' ', 'T') || 'Z' ELSE ${x}::text END`;
    default:
      return `${x}::text`;
  }
}

/** What a line of JSON or TSV needs that the server writes its values of. */
function textChangeOf({ type }: Column, isJson: boolean): number {
  const { none, boolean, timestamp, timestamptz, number, json } = copyChanges;
  if (type === t.bool) return boolean;
  if (type === t.timestamp) return timestamp;
  if (type === t.timestamptz) return timestamptz;
  if (!isJson) return none;
  return numbers.has(type) ? number : type === t.json || type === t.jsonb ? json : none;
}

/** How the server writes lines of the format with the very bytes that we would write; `undefined`: it cannot. */
export function postgresCopy(
  format: FormatOptions,
  columns: readonly Column[],
): PostgresCopy | undefined {
  const { delimiter = ",", nullText = "", quote = "minimal" } = format;
  if (columns.some(({ convert }) => convert !== undefined)) return;
  if (/\p{Cc}/u.test(nullText)) return;
  const escapeFormulas = format.escapeFormulas === true && format.format !== "ndjson";
  const options = (mark: string, quoteMark: string, isNull: string, more = "") =>
    `FORMAT csv, DELIMITER ${mark}, QUOTE ${quoteMark}, ESCAPE ${quoteMark}, NULL ${isNull}${more}`;
  if (format.format === "csv") {
    // A line of one value alone has rules of its own.
    if (columns.length === 1 || !/^[\x20-\x7e\t]$/.test(delimiter)) return;
    // No time or boolean has such marks, and what the server writes is changed here: it is the cheaper place.
    const isUsual = /^[,;|\t]$/.test(delimiter) && /^(?:\\N|[A-Z]*)$/.test(nullText);
    if (escapeFormulas && !isUsual) return;
    const isMade = ({ type }: Column) =>
      type === t.bytea ||
      !isUsual && (type === t.bool || type === t.timestamp || type === t.timestamptz);
    return {
      fields: columns.map((column) => isMade(column) ? textOf(column) : column.expression),
      options: options(
        quoteText(delimiter),
        `'"'`,
        quoteText(nullText),
        quote === "all" ? ", FORCE_QUOTE *" : "",
      ),
      marks: {
        ...{ delimiter: delimiter.charCodeAt(0), quote: 34, lineEnd: "\r\n" },
        changes: Uint8Array.from(
          columns,
          (column) => isUsual ? changeOf(column, escapeFormulas) : copyChanges.none,
        ),
      },
    };
  }
  if (escapeFormulas) return;
  const isJson = format.format === "ndjson";
  const made = createFormat({ ...format, titles: columns.map(({ title }) => title) });
  const fieldOf = (value: Value) => made.field(value)!;
  // Texts hold no such characters, as a rule: then the server sets no quotes.
  return {
    fields: columns.map((column) => column.type === t.bytea ? textOf(column) : column.expression),
    options: options("E'\\x02'", "E'\\x01'", "''"),
    marks: {
      ...{ delimiter: 2, quote: 1, lineEnd: made.marks[2] },
      changes: Uint8Array.from(columns, (column) => textChangeOf(column, isJson)),
      text: {
        names: fieldPrefixes(made, columns.length),
        nullText: Buffer.from(fieldOf(null)),
        escapes: textEscapes(fieldOf),
        jsonEscapes: textEscapes((text) => fieldOf(new JsonText(text))),
        isJson,
      },
    },
  };
}
