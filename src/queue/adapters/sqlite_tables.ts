import { builtinModule } from "../../builtin_module.ts";
import { sqliteStatements } from "./sqlite_statements.ts";
import { isKnownOutage } from "../is_known_outage.ts";
import { pause } from "../retry_until_done.ts";

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

interface FileSystem {
  statSync(
    path: string,
    options: { throwIfNoEntry: false },
  ): { dev: number; ino: number } | undefined;
}

/** Which file is at a path at this time; `undefined` if there is none, or if that cannot be seen. */
function identify(path: string): string | undefined {
  const stats = builtinModule<FileSystem>("node:fs")?.statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/**
 * Watches that the file of a database is still at its path. SQLite itself goes on with the file it has opened, where
 * no other process finds what it writes.
 */
class SqliteFile {
  readonly #path: string;
  readonly #first: string | undefined;
  #firstWal: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#first = identify(path);
  }

  /** Throws if another file is at the path, or none, or if its log of writes is another. */
  check(): void {
    if (this.#first === undefined) return;
    this.#compare(this.#path, this.#first);
    const wal = `${this.#path}-wal`;
    // It is there from the first write on, for as long as a connection is open.
    if (this.#firstWal === undefined) this.#firstWal = identify(wal);
    else this.#compare(wal, this.#firstWal);
  }

  #compare(path: string, first: string): void {
    const now = identify(path);
    if (now === first) return;
    throw new Error(
      `The queue's file ${path} was ${now === undefined ? "removed" : "replaced"} while it was ` +
        "open: open the database again",
    );
  }
}

/** What a queue in SQLite says to its database, prepared. */
export type PreparedStatements = Readonly<
  Record<keyof ReturnType<typeof sqliteStatements>["prepared"], SqliteStatement>
>;

const busyTimeoutMs = 10;
const maxRetryMs = 5_000;
const never = new AbortController().signal;
/** Ends what was begun in tables that are others now. */
const otherTables = new Error("The tables are others");

function says(error: unknown, words: RegExp): boolean {
  return words.test(String((error as { message?: unknown } | null)?.message));
}

/** The tables of a queue, which may be dropped and made again by others at any time. */
export class SqliteTables {
  readonly #database: SqliteDatabase;
  readonly #table: string;
  #statements: PreparedStatements | undefined;
  #isWal = false;
  #file: SqliteFile | undefined;
  /** Learns which tables they are; answers whether they are those of before. */
  readonly #see: (tag: string) => boolean;

  constructor(database: SqliteDatabase, table: string, see: (tag: string) => boolean) {
    this.#database = database;
    this.#table = table;
    this.#see = see;
  }

  /** Tries again while another process writes, and lets the event loop go on meanwhile. */
  async run<R>(action: (statements: PreparedStatements) => R): Promise<R>;
  async run<R>(
    action: (statements: PreparedStatements) => R,
    signal: AbortSignal,
  ): Promise<R | undefined>;
  async run<R>(
    action: (statements: PreparedStatements) => R,
    signal: AbortSignal = never,
  ): Promise<R | undefined> {
    const until = performance.now() + maxRetryMs;
    while (true) {
      try {
        return this.runNow(action);
      } catch (error) {
        if (!isKnownOutage(error) || performance.now() > until) throw error;
      }
      await pause(2 + Math.random() * 10, signal);
      if (signal.aborted) return undefined;
    }
  }

  /** Acts without waiting. The tables are made where they are missing, as when what made them was rolled back. */
  runNow<R>(action: (statements: PreparedStatements) => R): R {
    if (!this.#isWal) this.#useWal();
    if (this.#statements !== undefined) {
      try {
        return action(this.#statements);
      } catch (error) {
        if (!says(error, /no such table/)) throw error;
      }
      this.forget();
    }
    return action(this.#prepare());
  }

  /** All of it or nothing; a savepoint, since a transaction may be open. */
  atOnce(action: () => void): void {
    this.#database.exec("SAVEPOINT hosepipe_queue");
    try {
      action();
      this.#database.exec("RELEASE hosepipe_queue");
    } catch (error) {
      try {
        this.#database.exec("ROLLBACK TO hosepipe_queue; RELEASE hosepipe_queue");
      } catch {
        // SQLite has rolled back by itself, as where the disk is full: the first error says so.
      }
      throw error;
    }
  }

  /**
   * Writes to the tables of `tag`, all or nothing; to others that were made since, nothing. Their tag is read after the
   * writing, which keeps others from writing meanwhile: as a condition of each statement it would be a second pass.
   */
  atOnceIn(
    statements: PreparedStatements,
    tag: string,
    action: (statements: PreparedStatements) => void,
  ): void {
    try {
      this.atOnce(() => {
        action(statements);
        if (this.#readTag(statements) !== tag) throw otherTables;
      });
    } catch (error) {
      if (error !== otherTables) throw error;
    }
  }

  /** Whether these are still the tables of before. */
  areSame(statements: Pick<PreparedStatements, "tag">): boolean {
    return this.#see(this.#readTag(statements));
  }

  /** Throws if the database is not in its file any more. */
  checkFile(): void {
    this.#file?.check();
  }

  /** Makes what finds messages behind many that wait, if it is not there. */
  makeReady({ isReady }: PreparedStatements): void {
    if (isReady.all().length > 0) return;
    this.atOnce(() => this.#database.exec(sqliteStatements(this.#table).makeReady));
  }

  forget(): void {
    this.#statements = undefined;
  }

  #readTag({ tag }: Pick<PreparedStatements, "tag">): string {
    const [row] = tag.all() as { tag: string }[];
    if (row === undefined) throw new Error(`Table ${this.#table}_tag is empty`);
    return row.tag;
  }

  /** Not possible within a transaction, as when the first that is done with a new file is a send in one. */
  #useWal(): void {
    try {
      this.#database.exec(
        `PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA journal_mode = WAL`,
      );
      this.#isWal = true;
    } catch (error) {
      if (!says(error, /within a transaction/)) throw error;
    }
  }

  #prepare(): PreparedStatements {
    const { parts, create, prepared } = sqliteStatements(this.#table);
    this.atOnce(() => {
      // Of what others are about to drop, or have dropped in part, nothing is made again.
      const found = this.#database.prepare(parts).all() as { name: string }[];
      if (found.length === 1 || found.length === 2) {
        const names = found.map(({ name }) => name).join(" and ");
        throw new Error(`Of queue ${this.#table} only ${names} is there`);
      }
      this.#database.exec(create);
    });
    const statements = Object.fromEntries(
      Object.entries(prepared).map(([name, sql]) => [name, this.#database.prepare(sql)] as const),
    ) as PreparedStatements;
    this.areSame(statements);
    this.#file ??= this.#findFile();
    return this.#statements = statements;
  }

  #findFile(): SqliteFile | undefined {
    const databases = this.#database.prepare("PRAGMA database_list").all() as {
      name: string;
      file: string | null;
    }[];
    const file = databases.find(({ name }) => name === "main")?.file;
    return file ? new SqliteFile(file) : undefined;
  }
}
