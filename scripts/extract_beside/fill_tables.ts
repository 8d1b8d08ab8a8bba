import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import postgres from "postgres";

/** Rows of each table. */
export const rowCounts = { postgres: 300_000, sqlite: 500_000 };

/** Fills a table of eight columns of PostgreSQL. */
export async function fillPostgres(address: string): Promise<void> {
  const sql = postgres(address, { max: 1, onnotice() {} });
  await sql.unsafe(`
    CREATE TABLE sales (id int PRIMARY KEY, name text, hash text, amount numeric, is_paid boolean,
      sold_at timestamptz, note text, number bigint);
    INSERT INTO sales SELECT n, 'name ' || n, md5(n::text), n * 1.5, n % 2 = 0,
      timestamptz '2026-01-01Z' + n * interval '1 second',
      CASE WHEN n % 10 = 0 THEN NULL ELSE 'a note, with a comma ' || n END, n::bigint * 1000003
      FROM generate_series(1, ${rowCounts.postgres}) AS n;
    ANALYZE sales`);
  await sql.end();
}

/** Fills a table of eight columns of SQLite. */
export function fillSqlite(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE sales (id INTEGER PRIMARY KEY, name TEXT, hash TEXT, amount REAL,
    is_paid INTEGER, sold_at TEXT, note TEXT, number INTEGER); BEGIN`);
  const insert = database.prepare("INSERT INTO sales VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (let n = 1; n <= rowCounts.sqlite; n++) {
    const hash = createHash("md5").update(`${n}`).digest("hex");
    const soldAt = new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
    const note = n % 10 === 0 ? null : `a note, with a comma ${n}`;
    insert.run(n, `name ${n}`, hash, n * 1.5, n % 2, soldAt, note, n * 1_000_003);
  }
  database.exec("COMMIT");
  database.close();
}
