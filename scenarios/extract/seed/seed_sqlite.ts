import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import type { SeedContact } from "./seed_contacts.ts";
import { seedRows, seedSchema, seedTables } from "./seed_tables.ts";

/**
 * Writes contacts to a new SQLite file, which takes the place of an old one when it is whole.
 *
 * @returns The number of messages.
 * @throws The signal's reason, if it aborts.
 */
export async function seedSqlite(
  path: string,
  contacts: Iterable<SeedContact>,
  signal?: AbortSignal,
): Promise<number> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}.tmp`;
  let count = 0;
  const database = new DatabaseSync(draft);
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    database.exec(`${seedSchema("INTEGER")} BEGIN`);
    const insertInto = (table: keyof typeof seedTables) =>
      database.prepare(`INSERT INTO ${table} VALUES (${seedTables[table].map(() => "?")})`);
    const inserts = {
      contacts: insertInto("contacts"),
      conversations: insertInto("conversations"),
      messages: insertInto("messages"),
    };
    for (const contact of contacts) {
      for (const [table, values] of seedRows(contact)) {
        inserts[table].run(...values);
        if (table === "messages") count++;
      }
      if (contact.id % 100 === 0) await turn();
      signal?.throwIfAborted();
    }
    database.exec("COMMIT; CREATE INDEX messages_sent_at ON messages (sent_at);");
    database.close();
    await rename(draft, path);
    return count;
  } catch (error) {
    // Closing twice is an error of its own in some runtimes, and of no interest here.
    try {
      database.close();
    } catch { /* It was closed. */ }
    await rm(draft, { force: true });
    throw error;
  }
}
