import { stat } from "node:fs/promises";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { quoteName } from "../extract/sources/sql_shape.ts";
import { sqliteAffinity } from "../extract/sources/sqlite_affinity.ts";
import {
  base64Bytes,
  type DeadLetter,
  type Field,
  letterOf,
  type LoadRecord,
  type LoadTarget,
} from "./target.ts";
import { type Reference, withDescendants } from "./references.ts";
import { JsonText } from "../extract/value.ts";

/** A column, by what is made of its values. */
interface SqliteColumn {
  readonly affinity: ReturnType<typeof sqliteAffinity>;
  /** Whether the name of its type says that it has bytes. */
  readonly isBinary: boolean;
}

const fraction = /^\s*[+-]?(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[+-]?\d+)?\s*$/i;
const whole = /^\s*[+-]?\d+\s*$/;

/** A number, read exactly, which SQLite's own reading may not be. */
function numberOf(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new SyntaxError("a number is larger than those that can be stored");
}

function valueOfText(text: string, { affinity, isBinary }: SqliteColumn): SQLInputValue {
  // It would be stored as another.
  if (!text.isWellFormed()) throw new SyntaxError("a text has half a surrogate pair");
  if (isBinary) {
    try {
      return base64Bytes(text);
    } catch (error) {
      // By its affinity, such a column may have had a text or a number.
      if (affinity === "blob") throw error;
    }
  }
  if (affinity === "text" || affinity === "blob") return text;
  // Which SQLite does not read as a number, or without its sign.
  if (affinity === "real" && /^(?:-?Infinity|-0)$/.test(text)) return Number(text);
  return fraction.test(text) || affinity === "real" && whole.test(text) ? numberOf(text) : text;
}

/**
 * What SQLite is given for a value of a file.
 *
 * @throws {SyntaxError} If the column cannot have it.
 */
function sqliteValue(field: Field, column: SqliteColumn): SQLInputValue {
  if (field === null) return null;
  if (!(field instanceof JsonText)) {
    return valueOfText(typeof field === "string" ? field : field.text, column);
  }
  const { text } = field;
  if (column.affinity === "text") return text;
  if (text === "true" || text === "false") return text === "true" ? 1 : 0;
  if (!/^[-\d]/.test(text)) return text;
  if (whole.test(text) && text !== "-0") {
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) === value) return value;
  }
  // Where nothing makes a number of it, no digit of it is lost.
  const [digits] = text.replace("-", "").split(/e/i) as [string];
  const all = digits.replace(".", "");
  const from = all.search(/[1-9]/);
  // From the end in a loop: an expression would try again at each zero.
  let to = all.length;
  while (all[to - 1] === "0") to--;
  const isLong = from !== -1 && to - from > 17;
  return column.affinity === "blob" && isLong ? text : numberOf(text);
}

/** A foreign key: columns of a row that another must have, in this table or another. */
interface ForeignKey extends Reference {
  readonly isOwn: boolean;
  /** Finds such a row. */
  readonly statement: StatementSync;
}

/** The foreign keys of a table, those alone that lead somewhere. */
function foreignKeys(database: DatabaseSync, table: string): ForeignKey[] {
  const list = database.prepare(
    'SELECT id, "table" AS parent, "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
  );
  const columnsOf = database.prepare("SELECT name, pk FROM pragma_table_xinfo(?) ORDER BY pk");
  const keys = Map.groupBy(list.all(table), ({ id }) => id);
  return [...keys.values()].flatMap((columns) => {
    const parent = String(columns[0]!.parent);
    const known = columnsOf.all(parent).map(({ name, pk }) => ({ name: String(name), pk }));
    const primary = known.filter(({ pk }) => Number(pk) > 0);
    const to = columns.map((column, at) => {
      const name = String(column.to ?? primary[at]?.name).toLowerCase();
      return known.find((one) => one.name.toLowerCase() === name)?.name;
    });
    if (!to.every((name) => name !== undefined)) return [];
    const isEqual = to.map((name) => `${quoteName(name)} = ?`).join(" AND ");
    return [{
      isOwn: parent.toLowerCase() === table.toLowerCase(),
      statement: database.prepare(`SELECT 1 FROM ${quoteName(parent)} WHERE ${isEqual}`),
      ...{ to, from: columns.map(({ from }) => String(from)) },
    }];
  });
}

/** Too large, a constraint, the wrong type: what a row is to blame for. */
const rowErrors = new Set([18, 19, 20]);

const foreignKeyError = 787;

/** What SQLite says at once where it need not wait. */
class OrphanError extends Error {
  readonly errcode = foreignKeyError;

  constructor() {
    super("FOREIGN KEY constraint failed");
  }
}

function sqliteTarget(
  name: string,
  database: DatabaseSync,
  table: string,
  columns: ReadonlyMap<string, SqliteColumn>,
): LoadTarget {
  const keys = foreignKeys(database, table);
  const ownKeys = keys.filter(({ isOwn }) => isOwn);
  const schema = database.prepare(
    "SELECT sql, type FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
  ).get(table);
  /** Whether SQLite looks at foreign keys only when it commits, and would fail all rows for one. */
  const isDeferred = /INITIALLY\s+DEFERRED/i.test(String(schema?.sql));
  /** Of which it is not known where its triggers put a row. */
  const isView = schema?.type === "view";
  /** Rows whose foreign key is of a row that may still come. */
  let waiting: LoadRecord[] = [];
  let prepared:
    | { readonly names: readonly string[]; readonly statement: StatementSync }
    | undefined;

  function prepare(names: readonly string[]): StatementSync {
    if (prepared?.names === names) return prepared.statement;
    const statement = database.prepare(
      `INSERT INTO ${quoteName(table)} (${names.map(quoteName)}) VALUES (${names.map(() => "?")})`,
    );
    // The number of a row may be larger than a number is exact.
    statement.setReadBigInts(true);
    prepared = { names, statement };
    return statement;
  }

  /** The places of rows that refer to one that is not there. */
  function orphansOf(rows: readonly LoadRecord[]): Set<number> {
    const orphans = new Set<number>();
    rows.forEach(({ names, fields }, place) => {
      const isOrphan = keys.some(({ from, statement }) => {
        const values = from.map((name) => {
          const at = names.indexOf(name);
          return sqliteValue(fields[at] ?? null, columns.get(name)!);
        });
        return !values.includes(null) && statement.get(...values) === undefined;
      });
      if (isOrphan) orphans.add(place);
    });
    return orphans;
  }

  /** A table may ask that a conflict ends the transaction: the rows that follow would stay for good. */
  function checkTransaction(message: string): void {
    try {
      database.exec("BEGIN");
    } catch {
      return;
    }
    throw new Error(`${message}, and the table ends the transaction for it`);
  }

  /** Inserts rows one by one, for the first time or when all are there; `wrong` gets those that are dead. */
  function insert(
    rows: readonly LoadRecord[],
    isFirst: boolean,
    wrong = new Set<LoadRecord>(),
  ): DeadLetter[] {
    const dead: DeadLetter[] = [];
    for (const row of rows) {
      const statement = prepare(row.names);
      try {
        if (isFirst && isDeferred && orphansOf([row]).size > 0) throw new OrphanError();
        const { changes } = statement.run(
          ...row.fields.map((field, at) => sqliteValue(field, columns.get(row.names[at]!)!)),
        );
        if (Number(changes) === 0 && !isView) {
          throw new SyntaxError("a conflict or a trigger of the table has it ignore the row");
        }
      } catch (error) {
        const { message, errcode } = error as Error & { errcode?: number };
        if (!(error instanceof SyntaxError) && !rowErrors.has((errcode ?? 0) & 0xff)) throw error;
        checkTransaction(message);
        if (isFirst && ownKeys.length > 0 && errcode === foreignKeyError) {
          waiting.push(row);
          continue;
        }
        wrong.add(row);
        dead.push(letterOf(row, message));
      }
    }
    return dead;
  }

  return {
    ...{ name, columns: new Set(columns.keys()), diverted: 0 },
    async add(rows) {
      const dead = insert(rows, true);
      // Signals and the reading have their turn.
      await turn();
      return dead;
    },
    // Rows that refer to each other go in together: what the whole of them lacks is found then.
    async finish() {
      const dead: DeadLetter[] = [];
      if (waiting.length > 0) database.exec("PRAGMA defer_foreign_keys = ON");
      while (waiting.length > 0) {
        database.exec("SAVEPOINT waiting");
        const wrong = new Set<LoadRecord>();
        for (const letter of insert(waiting, false, wrong)) dead.push(letter);
        const fine = waiting.filter((row) => !wrong.has(row));
        const orphans = withDescendants(fine, ownKeys, orphansOf(fine));
        for (const place of orphans) dead.push(letterOf(fine[place]!, new OrphanError().message));
        database.exec(`${orphans.size === 0 ? "" : "ROLLBACK TO waiting; "}RELEASE waiting`);
        waiting = orphans.size === 0 ? [] : fine.filter((_, place) => !orphans.has(place));
        await turn();
      }
      return dead.sort((one, other) => one.line - other.line);
    },
    commit: () => Promise.resolve(database.exec("COMMIT")),
    // What is not committed is rolled back.
    close: () => Promise.resolve(database.close()),
  };
}

/**
 * Opens a table of an SQLite file for rows.
 *
 * @throws {Error} If there is no such file or table.
 */
export async function openSqliteTarget(
  path: string,
  table: string,
  timeoutMs: number,
): Promise<LoadTarget> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined || !stats.isFile()) throw new Error("there is no such file");
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}; PRAGMA foreign_keys = ON; BEGIN IMMEDIATE`);
    const columns = database.prepare("SELECT name, type FROM pragma_table_xinfo(?)").all(table);
    if (columns.length === 0) throw new Error(`there is no table ${JSON.stringify(table)}`);
    const kinds = new Map(columns.map(({ name, type }): [string, SqliteColumn] => {
      const isBinary = /BLOB|BINARY|BYTEA|IMAGE/i.test(String(type));
      return [String(name), { affinity: sqliteAffinity(String(type)), isBinary }];
    }));
    return sqliteTarget(`sqlite:${path}`, database, table, kinds);
  } catch (error) {
    database.close();
    throw error;
  }
}
