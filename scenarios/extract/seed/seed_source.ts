import { checkAddress } from "../../secrets/check_address.ts";
import type { SeedContact } from "./seed_contacts.ts";
import { seedSqlite } from "./seed_sqlite.ts";

/**
 * Writes contacts to `sqlite:FILE`, `postgres://…` or `mongodb://…`, in place of those that were there.
 *
 * @returns The number of messages, and the source's name without secrets.
 */
export async function seedSource(
  address: string,
  contacts: Iterable<SeedContact>,
  signal?: AbortSignal,
): Promise<{ messages: number; name: string }> {
  checkAddress(address);
  if (address.startsWith("sqlite:")) {
    const path = address.slice("sqlite:".length);
    return { messages: await seedSqlite(path, contacts, signal), name: address };
  }
  if (address.startsWith("postgres")) {
    const { seedPostgres } = await import("./seed_postgres.ts");
    return await seedPostgres(address, contacts, signal);
  }
  const { seedMongodb } = await import("./seed_mongodb.ts");
  return await seedMongodb(address, contacts, signal);
}
