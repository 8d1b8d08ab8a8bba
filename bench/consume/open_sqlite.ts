import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { sqliteQueue } from "../../src/queue/sqlite.ts";
import type { ConsumeJob, StoredMessage } from "./job.ts";

/** A queue, and the loops on its client. */
export type OpenQueue = Pick<ConsumeJob, "queue" | "byHand" | "byMessage"> & {
  close(): Promise<void>;
};

/** What a loop by hand is given. */
export type HandLoop = Pick<ConsumeJob, "count" | "batchSize" | "maxInFlight" | "work" | "save">;

const leaseMs = 30_000;

interface Row {
  readonly id: number;
  readonly body: string;
}

/** A queue of SQLite in a file, and the loop on the same database. */
export function openSqlite(folder: string, loop: HandLoop): OpenQueue {
  const database = new DatabaseSync(join(folder, "queue.sqlite"));
  database.exec("PRAGMA synchronous = NORMAL");
  const queue = sqliteQueue<string>(database, { table: "jobs" });
  // deno-lint-ignore require-await -- what fails must reject, as with the other
  const byHand = async (): Promise<void> => {
    const receive = database.prepare(`
      UPDATE jobs SET held_until = ?, held_ms = ?, deliveries = deliveries + 1
      WHERE id IN (SELECT id FROM jobs WHERE held_until <= ? ORDER BY id LIMIT ?) RETURNING id`);
    const read = database.prepare(
      "SELECT id, body FROM jobs_body WHERE id IN (SELECT value FROM json_each(?))",
    );
    const [ack, remove] = ["jobs", "jobs_body"].map((table) =>
      database.prepare(`DELETE FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`)
    );
    for (let left = loop.count; left > 0;) {
      const now = Date.now();
      const leased = receive.all(now + leaseMs, leaseMs, now, loop.maxInFlight / 2);
      const rows = read.all(JSON.stringify(leased.map(({ id }) => id))) as unknown as Row[];
      for (let from = 0; from < rows.length; from += loop.batchSize) {
        const batch = rows.slice(from, from + loop.batchSize);
        loop.save(batch.map(({ id, body }): StoredMessage => ({
          key: `jobs-${id}/0`,
          value: loop.work(body),
        })));
        const ids = JSON.stringify(batch.map(({ id }) => id));
        database.exec("BEGIN");
        ack!.run(ids);
        remove!.run(ids);
        database.exec("COMMIT");
      }
      left -= rows.length;
    }
  };
  return { queue, byHand, close: () => Promise.resolve(database.close()) };
}
