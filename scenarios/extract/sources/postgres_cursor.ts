import type { Sql } from "postgres";

/** Bytes that a fetch should bring at most; rows are counted, and how large the next ones are is not known. */
const wantedBytes = 4_194_304;

/** Fetched first, to see how large rows are. */
const firstRows = 16;

/** A row as the server sends it: text, or NULL. */
export type RawRow = readonly (Uint8Array | null)[];

/** How many bytes rows had that were read before. */
export interface RowSizes {
  /** The largest of the last fetch of any cursor; `undefined`: nothing was read. */
  largest: number | undefined;
}

function largestOf(rows: readonly RawRow[]): number {
  let largest = 1;
  for (const row of rows) {
    let bytes = 0;
    for (const value of row) bytes += value?.length ?? 0;
    largest = Math.max(largest, bytes);
  }
  return largest;
}

/**
 * Reads a query by a cursor of the server, up to `batchSize` rows at a time, fewer where they are large. Any other
 * cursor of the session ends: to open one takes no round trip of its own.
 */
export async function* postgresCursor(
  sql: Sql,
  query: string,
  batchSize: number,
  sizes: RowSizes,
): AsyncGenerator<readonly RawRow[], void> {
  const countOf = () =>
    sizes.largest === undefined
      ? Math.min(firstRows, batchSize)
      : Math.max(1, Math.min(batchSize, Math.floor(wantedBytes / sizes.largest)));
  let count = countOf();
  const opened = await sql.unsafe(
    `CLOSE ALL; DECLARE rows NO SCROLL CURSOR FOR ${query}; FETCH ${count} FROM rows`,
  ).raw() as unknown as RawRow[][];
  for (let rows = opened.at(-1)!;;) {
    if (rows.length > 0) {
      sizes.largest = largestOf(rows);
      yield rows;
    }
    if (rows.length < count) return;
    count = countOf();
    rows = await sql.unsafe(`FETCH ${count} FROM rows`).raw() as unknown as RawRow[];
  }
}
