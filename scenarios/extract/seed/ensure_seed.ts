import { stat } from "node:fs/promises";
import { seedContacts, type SeedOptions } from "./seed_contacts.ts";
import { seedSqlite } from "./seed_sqlite.ts";

/** To be raised when the same options come to mean other data. */
const version = 1;

/**
 * Makes an SQLite file of generated conversations in `folder`, unless it is there: it appears whole or
 * not at all, so that it can be trusted.
 *
 * @returns Its path.
 */
export async function ensureSeed(
  folder: string,
  options: SeedOptions,
  signal?: AbortSignal,
): Promise<string> {
  const { contacts, days, seed } = options;
  const path = `${folder}/extract-v${version}-${contacts}-${days}-${seed}.sqlite`;
  if ((await stat(path).catch(() => undefined))?.isFile()) return path;
  await seedSqlite(path, seedContacts(options), signal);
  return path;
}
