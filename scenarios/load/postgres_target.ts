import { Buffer } from "node:buffer";
import postgres, { type Sql } from "postgres";
import { quoteName } from "../extract/sources/quote_name.ts";
import { readAddress } from "../secrets/read_address.ts";
import { base64Bytes } from "./base64_bytes.ts";
import { letterOf } from "./letter_of.ts";
import type { DeadLetter, Field, LoadRecord } from "./load_record.ts";
import type { LoadTarget } from "./target.ts";

/** A column: its type without length or scale, which are for the assignment to enforce. */
interface Column {
  readonly type: string;
  readonly kind: "array" | "binary" | "json" | "other";
}

/** Values, constraints, errors that functions of the database raise, and limits: what a row is to blame for. */
const rowErrors = /^(?:22|23|54|P0)/;

/** An array of JSON as PostgreSQL writes arrays. */
function arrayText(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(arrayText).join(",")}}`;
  if (value === null) return "NULL";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** A value as the text that its type reads. */
function textOf(field: Field, { kind }: Column, isJson: boolean): string | null {
  if (field === null) return null;
  const text = typeof field === "string" ? field : field.text;
  if (kind === "binary") return `\\x${Buffer.from(base64Bytes(text)).toString("hex")}`;
  if (kind === "json") return isJson && typeof field === "string" ? JSON.stringify(field) : text;
  return kind === "array" && text.startsWith("[") ? arrayText(JSON.parse(text)) : text;
}

class PostgresTarget implements LoadTarget {
  readonly name: string;
  readonly columns: ReadonlySet<string>;
  readonly #sql: Sql;
  readonly #table: string;
  readonly #types: ReadonlyMap<string, Column>;
  readonly #isJson: boolean;

  constructor(
    name: string,
    sql: Sql,
    table: string,
    types: ReadonlyMap<string, Column>,
    isJson: boolean,
  ) {
    this.name = name;
    this.#sql = sql;
    this.#table = table;
    this.#types = types;
    this.#isJson = isJson;
    this.columns = new Set(types.keys());
  }

  async add(rows: readonly LoadRecord[]): Promise<readonly DeadLetter[]> {
    const columns = rows[0]!.names.map((name) => this.#types.get(name)!);
    const dead: DeadLetter[] = [];
    const fine: LoadRecord[] = [];
    const texts: string[] = [];
    for (const row of rows) {
      try {
        const values = row.fields.map((field, at) => textOf(field, columns[at]!, this.#isJson));
        texts.push(JSON.stringify(values));
        fine.push(row);
      } catch (error) {
        dead.push(letterOf(row, (error as Error).message));
      }
    }
    await this.#insert(fine, texts, dead);
    return dead.sort((one, other) => one.line - other.line);
  }

  async commit(): Promise<void> {
    await this.#sql.unsafe("COMMIT");
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 0 });
  }

  /** Halves what fails until the row is found that is to blame. */
  async #insert(
    rows: readonly LoadRecord[],
    texts: readonly string[],
    dead: DeadLetter[],
  ): Promise<void> {
    if (rows.length === 0) return;
    await this.#sql.unsafe("SAVEPOINT rows");
    try {
      await this.#sql.unsafe(this.#statement(rows[0]!.names), [`[${texts.join(",")}]`]);
      await this.#sql.unsafe("RELEASE SAVEPOINT rows");
      return;
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      if (!rowErrors.test(code ?? "")) throw error;
      await this.#sql.unsafe("ROLLBACK TO SAVEPOINT rows; RELEASE SAVEPOINT rows");
      if (rows.length === 1) {
        dead.push(letterOf(rows[0]!, message));
        return;
      }
    }
    const middle = rows.length >> 1;
    await this.#insert(rows.slice(0, middle), texts.slice(0, middle), dead);
    await this.#insert(rows.slice(middle), texts.slice(middle), dead);
  }

  #statement(names: readonly string[]): string {
    const values = names.map((name, at) => `(r ->> ${at})::${this.#types.get(name)!.type}`);
    return `INSERT INTO ${this.#table} (${names.map(quoteName)}) SELECT ${values} ` +
      "FROM json_array_elements($1::text::json) WITH ORDINALITY AS all_rows(r, n) ORDER BY n";
  }
}

/** The columns of a table, whose name may have a schema's before it. */
const columnsOf = `
  SELECT a.attname AS name, format_type(a.atttypid, -1) AS type,
    CASE WHEN t.typcategory = 'A' THEN 'array' WHEN t.typname = 'bytea' THEN 'binary'
      WHEN t.typname IN ('json', 'jsonb') THEN 'json' ELSE 'other' END AS kind
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

/**
 * Opens a table of PostgreSQL for rows.
 *
 * @param isJson Whether they come from NDJSON, where a text is no JSON yet.
 * @throws {Error} If there is no such server or table.
 */
export async function openPostgresTarget(
  address: string,
  table: string,
  { timeoutMs, isJson }: { readonly timeoutMs: number; readonly isJson: boolean },
): Promise<LoadTarget> {
  const sql = postgres(address, {
    ...{
      max: 1,
      prepare: false,
      fetch_types: false,
      onnotice() {},
      idle_timeout: 0,
      max_lifetime: null,
    },
    connect_timeout: Math.ceil(timeoutMs / 1000),
    connection: { application_name: "hosepipe load" },
  });
  try {
    // Other clients of a pooler are not to have them, and theirs are not to be ours.
    const settings = [
      ...["client_encoding = 'UTF8'", "TimeZone = 'UTC'", "DateStyle = 'ISO, YMD'"],
      ...["IntervalStyle = 'iso_8601'", `lock_timeout = ${timeoutMs}`],
    ].map((setting) => `; SET LOCAL ${setting}`).join("");
    await sql.unsafe(`BEGIN${settings}`);
    const parts = [quoteName(table), table.split(".").map(quoteName).join(".")];
    for (const quoted of parts) {
      const columns = await sql.unsafe(columnsOf, [quoted]);
      if (columns.length === 0) continue;
      const types = new Map(columns.map(({ name, type, kind }) => [name, { type, kind }]));
      return new PostgresTarget(readAddress(address).name, sql, quoted, types, isJson);
    }
    throw new Error(`there is no table ${JSON.stringify(table)}`);
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
}
