import { checkAddress, readAddress } from "../secrets/read_address.ts";
import type { RowSource, Selection } from "./source.ts";

/** Opens an address of one kind. */
type OpenSource = (
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

/** How addresses begin that `openSource` can open, for messages to people. */
export const sourceKinds = "sqlite:FILE, postgres://… or mongodb://…";

/** Whether `address` is of a kind that `openSource` can open. */
export function isSourceAddress(address: string): boolean {
  return /^(?:sqlite:.|mongodb(?:\+srv)?:\/\/.|postgres(?:ql)?:\/\/.)/s.test(address);
}

/**
 * Opens `sqlite:FILE`, `postgres://…` or `mongodb://…`; only the code of that one is loaded.
 *
 * @throws {RangeError} If the address is of no such kind.
 * @throws {Error} If it cannot be opened, or has not what is selected.
 */
export async function openSource(
  address: string,
  selection: Selection,
  signal?: AbortSignal,
): Promise<RowSource> {
  if (!isSourceAddress(address)) {
    throw new RangeError(
      `Cannot open source: it must be ${sourceKinds}, got ${readAddress(address).name}`,
    );
  }
  checkAddress(address);
  const open = await loadSource(address);
  return await open(address, selection, signal);
}
