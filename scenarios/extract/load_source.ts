import type { Selection } from "./selection.ts";
import type { RowSource } from "./source.ts";

/** Opens an address of one kind. */
export type OpenSource = (
  address: string,
  selection: Selection,
  signal?: AbortSignal,
) => Promise<RowSource>;

/** Loads the code that opens an address, with the driver of its database. */
export async function loadSource(address: string): Promise<OpenSource> {
  if (address.startsWith("sqlite:")) {
    const { openSqlite } = await import("./sources/sqlite.ts");
    return (address, ...rest) => openSqlite(address.slice("sqlite:".length), ...rest);
  }
  if (address.startsWith("postgres")) return (await import("./sources/postgres.ts")).openPostgres;
  return (await import("./sources/mongodb.ts")).openMongodb;
}
