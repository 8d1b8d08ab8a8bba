/**
 * Queues in a table of SQLite, by the database that you give.
 *
 * @module
 */

export {
  type SqliteDatabase,
  sqliteQueue,
  type SqliteQueueOptions,
  type SqliteStatement,
  type SqliteValue,
} from "./adapters/sqlite_queue.ts";
