import type { Sql } from "postgres";
import { connectPostgres, tableNames, textSettings } from "../extract/sources/postgres_session.ts";
import { quoteName } from "../extract/sources/sql_shape.ts";
import { readAddress } from "../secrets/read_address.ts";
import {
  base64Bytes,
  type DeadLetter,
  type Field,
  letterOf,
  type LoadRecord,
  type LoadTarget,
  SpeltText,
  UnknownCommitError,
} from "./target.ts";
import { jsonParts, type Reference, withDescendants } from "./references.ts";
import { Buffer } from "node:buffer";

/** A column by its type. */
interface TypedColumn {
  readonly type: string;
}

/** A foreign key of the table to itself. */
interface OwnReference extends Reference {
  /** What the constraint is called, there and in the table's partitions. */
  readonly constraints: readonly string[];
}

/** Rows that have the same columns, each with its values as JSON. */
type Group = readonly { readonly row: LoadRecord; readonly text: string }[];

const namesOf = (group: Group): readonly string[] => group[0]!.row.names;

/** The rows of a group as a parameter. */
const parameterOf = (group: Group) => `[${group.map(({ text }) => text).join(",")}]`;

/** Puts the rows that have the same columns together. */
function merge(groups: readonly Group[]): Group[] {
  const found = Map.groupBy(groups, (group) => JSON.stringify(namesOf(group)));
  return Array.from(found.values(), (alike) => alike.flat());
}

/** The foreign keys of a table to itself. */
async function ownReferences(sql: Sql, table: string): Promise<OwnReference[]> {
  const attributes = (keys: string, relation: string) =>
    `to_json(ARRAY(SELECT attname::text FROM unnest(${keys}) WITH ORDINALITY AS k(n, o)
      JOIN pg_attribute ON attrelid = ${relation} AND attnum = n ORDER BY o))`;
  const found = await sql.unsafe(
    `WITH RECURSIVE copies(oid, own) AS (SELECT oid, oid FROM pg_constraint WHERE contype = 'f'
        UNION SELECT c.oid, own FROM pg_constraint c JOIN copies ON c.conparentid = copies.oid)
     SELECT to_json(ARRAY(SELECT conname::text FROM pg_constraint JOIN copies USING (oid)
        WHERE own = k.oid)) AS constraints, ${attributes("conkey", "conrelid")} AS own,
      ${attributes("confkey", "confrelid")} AS others FROM pg_constraint AS k
     WHERE conrelid = to_regclass($1) AND confrelid = conrelid AND contype = 'f'`,
    [table],
  );
  return found.map(({ constraints, own, others }) => ({ constraints, from: own, to: others }));
}

/** Finds the places of rows, each group's a parameter, that refer to one that is neither in the table nor among them. */
function orphansQuery(
  groups: readonly Group[],
  references: readonly OwnReference[],
  table: string,
  types: ReadonlyMap<string, TypedColumn>,
): string {
  const used = [...new Set(references.flatMap(({ from, to }) => [...from, ...to]))];
  const columnOf = (name: string) => `c${used.indexOf(name)}`;
  let first = 0;
  const selects = groups.map((group, at) => {
    const values = used.map((name) => {
      const place = namesOf(group).indexOf(name);
      const value = place < 0 ? "NULL" : `(r ->> ${place})`;
      return `${value}::${types.get(name)!.type} AS ${columnOf(name)}`;
    });
    const select = `SELECT ${first} + n - 1 AS place, ${values} ` +
      `FROM json_array_elements($${at + 1}::text::json) WITH ORDINALITY AS all_rows(r, n)`;
    first += group.length;
    return select;
  });
  const isOrphan = references.map(({ from, to }) => {
    const equals = (parent: string, columns: readonly string[]) =>
      columns.map((column, at) => `${parent}.${column} = w.${columnOf(from[at]!)}`).join(" AND ");
    const conditions = [
      ...from.map((name) => `w.${columnOf(name)} IS NOT NULL`),
      `NOT EXISTS (SELECT FROM ${table} AS t WHERE ${equals("t", to.map(quoteName))})`,
      `NOT EXISTS (SELECT FROM waiting AS o WHERE ${equals("o", to.map(columnOf))})`,
    ];
    return `(${conditions.join(" AND ")})`;
  });
  return `WITH waiting AS (${selects.join(" UNION ALL ")}) ` +
    `SELECT place::int FROM waiting AS w WHERE ${isOrphan.join(" OR ")}`;
}

/**
 * Inserts groups of rows, each a parameter. Foreign keys are looked at when all of a statement is done: rows of several
 * groups may refer to each other.
 */
function insertStatement(
  groups: readonly Group[],
  table: string,
  types: ReadonlyMap<string, TypedColumn>,
): string {
  const inserts = groups.map((group, at) => {
    const names = namesOf(group);
    const values = names.map((name, place) => `(r ->> ${place})::${types.get(name)!.type}`);
    return `INSERT INTO ${table} (${names.map(quoteName)}) OVERRIDING SYSTEM VALUE ` +
      `SELECT ${values} FROM json_array_elements($${at + 1}::text::json) ` +
      "WITH ORDINALITY AS all_rows(r, n) ORDER BY n";
  });
  const others = inserts.slice(0, -1).map((insert, at) => `g${at} AS (${insert})`);
  return (others.length === 0 ? "" : `WITH ${others.join(", ")} `) + inserts.at(-1);
}

/** A column: its type without length or scale, which are for the assignment to enforce. */
interface PostgresColumn {
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
function postgresText(
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
async function postgresColumns(
  sql: Sql,
  table: string,
): Promise<ReadonlyMap<string, PostgresColumn>> {
  const columns = await sql.unsafe(columnsOf, [table]);
  return new Map(columns.map(({ name, type, kind }) => [name, { type, kind }]));
}

/** Values, constraints, errors that functions of the database raise, and limits: what a row is to blame for. */
const rowErrors = /^(?:22|23|54|P0)/;

const foreignKeyError = "23503";

function postgresTarget(
  name: string,
  sql: Sql,
  { table, types, isJson, references }: {
    readonly table: string;
    readonly types: ReadonlyMap<string, PostgresColumn>;
    readonly isJson: boolean;
    readonly references: readonly OwnReference[];
  },
): LoadTarget {
  let diverted = 0;
  /** Rows whose foreign key is of a row that may still come, together with those they came with. */
  let waiting: Group[] = [];
  const takeWaiting = () => {
    const taken = waiting;
    waiting = [];
    return taken;
  };
  const countWaiting = () => waiting.reduce((sum, { length }) => sum + length, 0);

  /** Inserts all rows, or none and says why; as a trial none either way. */
  async function tryInsert(
    groups: readonly Group[],
    isTrial = false,
  ): Promise<{ readonly message: string; readonly isOwnKey: boolean } | undefined> {
    await sql.unsafe("SAVEPOINT rows");
    try {
      const statement = insertStatement(groups, table, types);
      const inserted = await sql.unsafe(statement, groups.map(parameterOf));
      const undo = isTrial ? "ROLLBACK TO SAVEPOINT rows; " : "";
      await sql.unsafe(`${undo}RELEASE SAVEPOINT rows`);
      // The server counts those of the last group.
      if (!isTrial) diverted += groups.at(-1)!.length - inserted.count;
      return undefined;
    } catch (error) {
      const { code, message, constraint_name: constraint } = error as Error & {
        code?: string;
        constraint_name?: string;
      };
      if (!rowErrors.test(code ?? "")) throw error;
      await sql.unsafe("ROLLBACK TO SAVEPOINT rows; RELEASE SAVEPOINT rows");
      const isOwn = references.some(({ constraints }) => constraints.includes(constraint ?? ""));
      return { message, isOwnKey: code === foreignKeyError && isOwn };
    }
  }

  /** Halves what fails until the row is found that is to blame; rows that refer to others may wait for those. */
  async function insert(group: Group, dead: DeadLetter[]): Promise<void> {
    if (group.length === 0) return;
    const failure = await tryInsert([group]);
    if (failure === undefined) return;
    // It is looked for when all rows are in: there is nothing else wrong with these.
    if (failure.isOwnKey) waiting.push(group);
    else if (group.length === 1) dead.push(letterOf(group[0]!.row, failure.message));
    else {
      const middle = group.length >> 1;
      await insert(group.slice(0, middle), dead);
      await insert(group.slice(middle), dead);
    }
  }

  /**
   * The first row that has another fault than that it refers to one that is not there, such as one that is there twice:
   * foreign keys are looked at last, so that all rows before it are without.
   */
  async function firstFault(
    groups: readonly Group[],
    length: number,
  ): Promise<[place: number, message: string][] | undefined> {
    let message: string | undefined;
    let [fine, wrong] = [0, length + 1];
    for (let count = length; wrong - fine > 1; count = (fine + wrong) >> 1) {
      let left = count;
      const some = groups.flatMap((group) => {
        const part = group.slice(0, left);
        left -= part.length;
        return part.length === 0 ? [] : [part];
      });
      const failure = await tryInsert(some, true);
      if (failure === undefined || failure.isOwnKey) fine = count;
      else [wrong, message] = [count, failure.message];
    }
    return message === undefined ? undefined : [[wrong - 1, message]];
  }

  /** The places of rows, of which not all can be inserted, that cannot, and why; there may be more. */
  async function wrongOf(groups: readonly Group[]): Promise<Map<number, string>> {
    const found = await sql.unsafe(
      orphansQuery(groups, references, table, types),
      groups.map(parameterOf),
    );
    const rows = groups.flat().map(({ row }) => row);
    const orphans = new Set(found.map(({ place }) => place));
    const reason = "a foreign key refers to a row that is not there";
    if (orphans.size > 0) {
      const places = withDescendants(rows, references, orphans);
      return new Map(Array.from(places, (place) => [place, reason]));
    }
    const fault = await firstFault(groups, rows.length);
    return new Map(fault ?? Array.from(rows, (_, place) => [place, reason]));
  }

  return {
    name,
    columns: new Set(types.keys()),
    get diverted() {
      return diverted;
    },
    async add(rows) {
      const columns = rows[0]!.names.map((name) => types.get(name)!);
      const dead: DeadLetter[] = [];
      const fine: Group[number][] = [];
      for (const row of rows) {
        try {
          const values = row.fields.map((field, at) => postgresText(field, columns[at]!, isJson));
          fine.push({ row, text: JSON.stringify(values) });
        } catch (error) {
          dead.push(letterOf(row, (error as Error).message));
        }
      }
      await insert(fine, dead);
      return dead.sort((one, other) => one.line - other.line);
    },
    async finish() {
      const dead: DeadLetter[] = [];
      for (let left = countWaiting(); left > 0; left = countWaiting()) {
        // What came last is what the others refer to, more often than not.
        for (const group of takeWaiting().reverse()) await insert(group, dead);
        waiting.reverse();
        if (countWaiting() < left) continue;
        const groups = merge(takeWaiting());
        if (await tryInsert(groups) === undefined) break;
        const rows = groups.flat();
        const wrong = await wrongOf(groups);
        for (const [place, message] of wrong) dead.push(letterOf(rows[place]!.row, message));
        let first = 0;
        for (const group of groups) {
          const rest = group.filter((_, at) => !wrong.has(first + at));
          if (rest.length > 0) waiting.push(rest);
          first += group.length;
        }
      }
      return dead.sort((one, other) => one.line - other.line);
    },
    async commit() {
      // A session that was lost before is found by this, and has committed nothing.
      await sql.unsafe("SELECT 1");
      const { command } = await sql.unsafe("COMMIT").catch((cause) => {
        const { code = "", message } = cause as { code?: string; message: string };
        // What the server says of the rows, and not of the connection or of itself.
        if (/^(?!08|57P)[\dA-Z]{5}$/.test(code)) throw cause;
        throw new UnknownCommitError(message || code, { cause });
      });
      if (command !== "COMMIT") throw new Error("the server has rolled the transaction back");
    },
    close: () => sql.end({ timeout: 0 }),
  };
}

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
  const sql = connectPostgres(address, { timeoutMs, name: "hosepipe load" });
  try {
    // What would be checked at the end would fail all rows for one.
    await sql.unsafe(
      `BEGIN; ${textSettings}; SET LOCAL lock_timeout = ${timeoutMs}; SET CONSTRAINTS ALL IMMEDIATE`,
    );
    for (const quoted of tableNames(table)) {
      const types = await postgresColumns(sql, quoted);
      if (types.size === 0) continue;
      const references = await ownReferences(sql, quoted);
      return postgresTarget(readAddress(address).name, sql, {
        ...{ table: quoted, types, isJson, references },
      });
    }
    throw new Error(`there is no table ${JSON.stringify(table)}`);
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
}
