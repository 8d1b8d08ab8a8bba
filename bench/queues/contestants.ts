/** A contestant of `deno task dev bench-queues`. */
export interface ContestantEntry {
  readonly server: "postgres" | "redis";
  readonly about: string;
  /** Where its code is. */
  readonly module: string;
}

/** The contestants, by name. */
export const contestants: Readonly<Record<string, ContestantEntry>> = {
  "hosepipe-postgres": {
    server: "postgres",
    about: "messages, perMessage over a map, stored in batches of 256",
    module: "hosepipe_postgres.ts",
  },
  "hand-postgres": {
    server: "postgres",
    about: "a loop: deletes 256 rows with SKIP LOCKED and stores them, in one transaction",
    module: "hand_postgres.ts",
  },
  "pg-boss": {
    server: "postgres",
    about: "batchSize 256, burstWhenBatchFull, useListenNotify",
    module: "rivals/pg_boss.mjs",
  },
  "graphile-worker": {
    server: "postgres",
    about: "256 jobs at a time, localQueue of 512, completions in batches; saves are gathered",
    module: "rivals/graphile_worker.mjs",
  },
  "hosepipe-redis": {
    server: "redis",
    about: "messages, perMessage over a map, stored in batches of 256",
    module: "hosepipe_redis.ts",
  },
  "hand-redis": {
    server: "redis",
    about: "a loop: XREADGROUP of 256, HSET, XACK and XDEL; claims nothing of the dead",
    module: "hand_redis.ts",
  },
  "bullmq": {
    server: "redis",
    about: "concurrency 256, done jobs removed; saves are gathered",
    module: "rivals/bullmq.mjs",
  },
};
