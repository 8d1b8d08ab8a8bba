/**
 * Queues in a table of SQLite, in your own database.
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
