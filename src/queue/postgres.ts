/**
 * Queues in a table of PostgreSQL, through your own client.
 *
 * @module
 */

export type {
  PgClient,
  PgPool,
  PgPoolClient,
  PostgresClient,
  PostgresSql,
  PostgresSqlClient,
  PostgresTransaction,
} from "./adapters/postgres_client.ts";
export {
  postgresQueue,
  type PostgresQueueOptions,
  type PostgresQueueSource,
} from "./adapters/postgres_queue.ts";
