import type { MessageSource } from "./source.ts";

/** Whether `address` is of a kind that `openSource` can open. */
export function isSourceAddress(address: string): boolean {
  return /^(?:sqlite:.|mongodb(?:\+srv)?:\/\/.)/s.test(address);
}

/**
 * Opens `sqlite:FILE` or `mongodb://…`; only the code of that one is loaded.
 *
 * @throws {RangeError} If the address is of neither kind.
 * @throws {Error} If it cannot be opened.
 */
export async function openSource(address: string, signal?: AbortSignal): Promise<MessageSource> {
  if (!isSourceAddress(address)) {
    throw new RangeError(
      `Cannot open source: it must be sqlite:FILE or mongodb://…, got ${JSON.stringify(address)}`,
    );
  }
  if (address.startsWith("sqlite:")) {
    const { openSqlite } = await import("./sources/sqlite.ts");
    return await openSqlite(address.slice("sqlite:".length));
  }
  const { openMongodb } = await import("./sources/mongodb.ts");
  return await openMongodb(address, signal);
}
