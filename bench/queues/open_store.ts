import { Redis } from "ioredis";
import pg from "pg";
import type { Save } from "./contestant.ts";

/** Where messages are stored: on the server that the queue is on. */
export interface BenchStore {
  readonly save: Save;
  setUp(): Promise<void>;
  /** How many keys there are. */
  count(): Promise<number>;
  close(): Promise<void>;
}

/** A table of PostgreSQL, or a hash of Redis; a key that is there is left alone. */
export function openStore(address: string): BenchStore {
  if (address.startsWith("redis:")) {
    const client = new Redis(address);
    return {
      setUp: () => Promise.resolve(),
      save: async (rows) =>
        void await client.hset("stored", ...rows.flatMap(({ key, sentAt }) => [key, sentAt])),
      count: () => client.hlen("stored"),
      close: () => Promise.resolve(client.disconnect()),
    };
  }
  const pool = new pg.Pool({ connectionString: address, max: 4 });
  return {
    setUp: async () => void await pool.query("CREATE TABLE stored (key text PRIMARY KEY)"),
    async save(rows) {
      const keys = rows.map(({ key }) => key);
      await pool.query("INSERT INTO stored SELECT unnest($1::text[]) ON CONFLICT DO NOTHING", [
        keys,
      ]);
    },
    count: async () => Number((await pool.query("SELECT count(*) FROM stored")).rows[0].count),
    close: () => pool.end(),
  };
}
