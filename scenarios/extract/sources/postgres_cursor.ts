import type { Sql } from "postgres";

/** Bytes that a fetch should bring at most; rows are counted, and how large the next ones are is not known. */
const wantedBytes = 4_194_304;

const firstRows = 16;

/** A row as the server sends it: text, or NULL. */
export type RawRow = readonly (Uint8Array | null)[];

/**
 * Reads a query by a cursor of the server: a few rows first, then up to `batchSize` at a time, fewer where they are
 * large.
 */
export async function* postgresCursor(
  sql: Sql,
  name: string,
  query: string,
  batchSize: number,
): AsyncGenerator<readonly RawRow[], void> {
  await sql.unsafe(`DECLARE ${name} NO SCROLL CURSOR FOR ${query}`);
  for (let count = Math.min(firstRows, batchSize);;) {
    const rows = await sql.unsafe(`FETCH ${count} FROM ${name}`).raw() as unknown as RawRow[];
    if (rows.length > 0) yield rows;
    if (rows.length < count) break;
    let largest = 1;
    for (const row of rows) {
      let bytes = 0;
      for (const value of row) bytes += value?.length ?? 0;
      largest = Math.max(largest, bytes);
    }
    count = Math.max(1, Math.min(batchSize, Math.floor(wantedBytes / largest)));
  }
  await sql.unsafe(`CLOSE ${name}`);
}
