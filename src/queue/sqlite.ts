/**
 * Queues in a table of SQLite, in your own database.
 *
 * @module
 */

export type { SqliteDatabase, SqliteStatement, SqliteValue } from "./adapters/sqlite_tables.ts";
export {
  sqliteQueue,
  type SqliteQueueOptions,
  type SqliteQueueSource,
} from "./adapters/sqlite_queue.ts";
