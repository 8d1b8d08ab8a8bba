import type { FormatOptions } from "../formats/format_options.ts";
import { copyChanges, type CopyMarks } from "./copy_marks.ts";
import { postgresTypes as t } from "./postgres_value.ts";
import { quoteText } from "./quote_text.ts";
import type { SqlColumn } from "./sql_shape.ts";

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
const texts = new Set<number>([t.text, t.varchar, t.bpchar, t.name, t.xml]);
/** What has no character that a format does anything about. */
const simple = new Set<number>([...numbers, t.bool, t.bytea, t.date, t.timestamp, t.timestamptz]);
const simpleMore = [t.uuid, t.time, t.timetz, t.interval];
for (const type of simpleMore) simple.add(type);

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

/** A value as text, as each format begins with it. */
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
    case t.bpchar:
      // A cast would lose the blanks at its end.
      return `CASE WHEN ${x} IS NULL THEN NULL ELSE concat(${x}) END`;
    default:
      return `${x}::text`;
  }
}

function escaped(text: string): string {
  const escapes = [["\\\\", "\\\\\\\\"], ["\\t", "\\\\t"], ["\\n", "\\\\n"], ["\\r", "\\\\r"]];
  return escapes.reduce((made, [from, to]) => `replace(${made}, E'${from}', E'${to}')`, text);
}

function jsonOf(column: Column): string {
  const { expression: x, type } = column;
  const text = textOf(column);
  // The server knows what JSON takes as a number, but for zero with a sign.
  const isFloat = type === t.float4 || type === t.float8;
  const value = isFloat
    ? `CASE WHEN ${x} = 0 AND ${x}::text = '-0' THEN '-0.0' ELSE to_json(${x})::text END`
    : type === t.numeric
    ? `to_json(${x})::text`
    : numbers.has(type) || type === t.bool
    ? text
    : type === t.json || type === t.jsonb
    ? `translate(${text}, E'\\r\\n', '  ')`
    : texts.has(type)
    ? `to_json(${text})::text`
    : `'"' || ${text} || '"'`;
  return `coalesce(${value}, 'null')`;
}

/** How the server writes lines of the format with the very bytes that we would write; `undefined`: it cannot. */
export function postgresCopy(
  format: FormatOptions,
  columns: readonly Column[],
): PostgresCopy | undefined {
  const { delimiter = ",", nullText = "", quote = "minimal" } = format;
  const isKnown = ({ type }: Column) =>
    simple.has(type) || texts.has(type) || type === t.json || type === t.jsonb;
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
        ...{ delimiter: delimiter.charCodeAt(0), quote: 34, isQuoteKept: true, lineEnd: "\r\n" },
        changes: Uint8Array.from(
          columns,
          (column) => isUsual ? changeOf(column, escapeFormulas) : copyChanges.none,
        ),
      },
    };
  }
  if (escapeFormulas) return;
  if (!columns.every(isKnown)) return;
  const marks = { quote: 1, isQuoteKept: false, lineEnd: "\n" };
  if (format.format === "tsv") {
    return {
      fields: columns.map((column) =>
        simple.has(column.type) ? textOf(column) : escaped(textOf(column))
      ),
      options: options("E'\\t'", "E'\\x01'", quoteText(nullText)),
      marks: { ...marks, delimiter: 9 },
    };
  }
  const object = columns.flatMap((column, index) => [
    quoteText(`${index === 0 ? "{" : ","}${JSON.stringify(column.title)}:`),
    jsonOf(column),
  ]);
  return {
    fields: [`concat(${[...object, "'}'"].join(", ")})`],
    options: options("E'\\x02'", "E'\\x01'", "''"),
    marks: { ...marks, delimiter: 2 },
  };
}
