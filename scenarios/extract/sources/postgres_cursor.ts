import type { Sql } from "postgres";

/** Bytes that a fetch should bring at most; rows are counted, and how large the next ones are is not known. */
const wantedBytes = 1_048_576;

/** Fetched first, to see how large rows are. */
const firstRows = 16;

/** A row as the server sends it: text, or NULL. */
export type RawRow = readonly (Uint8Array | null)[];

/** How many bytes rows had that were read before. */
export interface RowSizes {
  /** The largest of the last fetch of any cursor; `undefined`: nothing was read. */
  largest: number | undefined;
}

/**
 * Reads a query by a cursor of the server, up to `batchSize` rows at a time, fewer where they are large. Any other
 * cursor of the session ends: to open one takes no round trip of its own.
 *
 * @param convert Makes of each row, as it arrives, what is kept of it: its bytes lie in what the network brought, and a
 * fetch that kept all of that until it is whole would be many times what is exported.
 */
export async function* postgresCursor<Kept>(
  sql: Sql,
  query: string,
  batchSize: number,
  sizes: RowSizes,
  convert: (row: RawRow) => Kept,
): AsyncGenerator<readonly Kept[], void> {
  let count = 0;
  const fetch = async (opening: string): Promise<readonly Kept[]> => {
    count = sizes.largest === undefined
      ? Math.min(firstRows, batchSize)
      : Math.max(1, Math.min(batchSize, Math.floor(wantedBytes / sizes.largest)));
    const rows: Kept[] = [];
    let largest = 1;
    await sql.unsafe(`${opening}FETCH ${count} FROM rows`).raw().forEach((row) => {
      const raw = row as unknown as RawRow;
      let bytes = 0;
      for (let index = 0; index < raw.length; index++) bytes += raw[index]?.length ?? 0;
      largest = Math.max(largest, bytes);
      rows.push(convert(raw));
    });
    if (rows.length > 0) sizes.largest = largest;
    return rows;
  };
  let rows = await fetch(`CLOSE ALL; DECLARE rows NO SCROLL CURSOR FOR ${query}; `);
  while (true) {
    if (rows.length > 0) yield rows;
    if (rows.length < count) return;
    rows = await fetch("");
  }
}
