import pg from "pg";
import { batchSize, type OpenContestant, type StoredRow, toRow } from "./contestant.ts";

const take = "DELETE FROM by_hand WHERE id IN " +
  "(SELECT id FROM by_hand ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING body";
const store = "INSERT INTO stored SELECT unnest($1::text[]) ON CONFLICT DO NOTHING";

/** A loop on PostgreSQL: what it takes and what it stores are one transaction, so it needs no lease. */
export function open(address: string): Promise<OpenContestant> {
  const pool = new pg.Pool({ connectionString: address, max: 3 });
  return Promise.resolve({
    async setUp() {
      await pool.query("CREATE TABLE by_hand (id bigserial PRIMARY KEY, body text NOT NULL)");
    },
    async send(bodies) {
      await pool.query("INSERT INTO by_hand (body) SELECT unnest($1::text[])", [bodies]);
    },
    work(save) {
      let isStopped = false;
      const work = async () => {
        const client = await pool.connect();
        while (!isStopped) {
          await client.query("BEGIN");
          const { rows } = await client.query(take, [batchSize]);
          const stored: StoredRow[] = (rows as { body: string }[]).map(({ body }) => toRow(body));
          if (stored.length > 0) await client.query(store, [stored.map(({ key }) => key)]);
          await client.query("COMMIT");
          if (stored.length > 0) await save(stored);
          else await new Promise((resolve) => setTimeout(resolve, 5));
        }
        client.release();
      };
      const running = Promise.all([work(), work()]);
      return Promise.resolve(async () => {
        isStopped = true;
        await running;
      });
    },
    close: () => pool.end(),
  });
}
