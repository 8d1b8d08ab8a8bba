import pg from "pg";
import { postgresQueue } from "../../src/queue/postgres.ts";
import { consumeQueue } from "./consume_queue.ts";
import type { OpenContestant } from "./contestant.ts";

/** Ours on PostgreSQL. */
export function open(address: string): Promise<OpenContestant> {
  const pool = new pg.Pool({ connectionString: address, max: 8 });
  const queue = postgresQueue<string>(pool, { table: "bench" });
  return Promise.resolve({
    setUp: () => queue.open(30_000),
    send: (bodies) => queue.send(bodies),
    work: (save) => Promise.resolve(consumeQueue(queue, save)),
    async close() {
      await queue.close();
      await pool.end();
    },
  });
}
