import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import { base64Bytes } from "./base64_bytes.ts";
import { jsonParts } from "./json_parts.ts";
import type { Field } from "./load_record.ts";
import { SpeltText } from "./spelt_text.ts";

/** A column: its type without length or scale, which are for the assignment to enforce. */
export interface PostgresColumn {
  readonly type: string;
  readonly kind: "array" | "binary" | "json" | "other";
}

/** As many as the server knows. */
const mostDimensions = 6;

/** An array of JSON as PostgreSQL writes arrays, with the digits that numbers have there. */
function arrayText(json: string, depth = 1): string {
  if (json.startsWith("[")) {
    if (depth > mostDimensions) {
      throw new SyntaxError(`an array has more than ${mostDimensions} dimensions`);
    }
    return `{${jsonParts(json).map((part) => arrayText(part, depth + 1)).join(",")}}`;
  }
  if (json === "null") return "NULL";
  const text = json.startsWith('"') ? JSON.parse(json) as string : json;
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/**
 * A value as the text that its type reads.
 *
 * @param isJson Whether it is of JSON, where a text is no JSON yet.
 * @throws {SyntaxError} If the column cannot have it.
 */
export function postgresText(
  field: Field,
  { kind }: PostgresColumn,
  isJson: boolean,
): string | null {
  if (field === null) return null;
  const text = typeof field === "string" ? field : field.text;
  if (kind === "binary") return `\\x${Buffer.from(base64Bytes(text)).toString("hex")}`;
  if (kind === "json") {
    if (field instanceof SpeltText) return field.json;
    return isJson && typeof field === "string" ? JSON.stringify(field) : text;
  }
  // An array of the server's own may begin with its bounds, as in `[0:1]={1,2}`.
  return kind === "array" && /^\[(?!\s*[+-]?\d+\s*:)/.test(text) ? arrayText(text) : text;
}

/** The columns of a table, whose name may have a schema's before it; what a domain is of is what counts. */
const columnsOf = `
  WITH RECURSIVE base(name, place, type, own) AS (
    SELECT attname, attnum, atttypid, format_type(atttypid, -1) FROM pg_attribute
    WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT name, place, typbasetype, own FROM base JOIN pg_type ON oid = type AND typtype = 'd')
  SELECT name, own AS type, CASE WHEN typcategory = 'A' THEN 'array' WHEN typname = 'bytea' THEN 'binary'
    WHEN typname IN ('json', 'jsonb') THEN 'json' ELSE 'other' END AS kind
  FROM base JOIN pg_type ON oid = type WHERE typtype <> 'd' ORDER BY place`;

/** The columns of a table by their names; none if there is no such table. */
export async function postgresColumns(
  sql: Sql,
  table: string,
): Promise<ReadonlyMap<string, PostgresColumn>> {
  const columns = await sql.unsafe(columnsOf, [table]);
  return new Map(columns.map(({ name, type, kind }) => [name, { type, kind }]));
}
