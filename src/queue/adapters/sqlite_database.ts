/** What a statement is given. */
export type SqliteValue = string | number | null | Uint8Array;

/** What is used of a prepared statement of `node:sqlite`. */
export interface SqliteStatement {
  /** Runs it and gives all rows. */
  all(...values: SqliteValue[]): unknown[];
  /** Runs it. */
  run(...values: SqliteValue[]): unknown;
}

/** What is used of a `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement;
}
