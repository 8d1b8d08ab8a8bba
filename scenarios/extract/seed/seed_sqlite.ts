import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import type { SeedContact } from "./seed_contacts.ts";

const schema = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  CREATE TABLE contacts (
    id INTEGER PRIMARY KEY,
    name TEXT,
    channel TEXT,
    profile TEXT
  );
  CREATE TABLE conversations (
    id INTEGER PRIMARY KEY,
    contact_id INTEGER REFERENCES contacts,
    started_at INTEGER,
    ended_at INTEGER,
    state TEXT
  );
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    conversation_id INTEGER REFERENCES conversations,
    sent_at INTEGER,
    sender TEXT,
    text TEXT,
    payload TEXT
  );
  BEGIN;
`;

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
    database.exec(schema);
    const addContact = database.prepare("INSERT INTO contacts VALUES (?, ?, ?, ?)");
    const addConversation = database.prepare("INSERT INTO conversations VALUES (?, ?, ?, ?, ?)");
    const addMessage = database.prepare("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)");
    for (const { id, name, channel, profile, conversations } of contacts) {
      addContact.run(id, name, channel, profile);
      for (const { id: conversationId, startedAtMs, endedAtMs, state, messages } of conversations) {
        addConversation.run(conversationId, id, startedAtMs, endedAtMs, state);
        for (const { id, sentAtMs, sender, text, payload } of messages) {
          addMessage.run(id, conversationId, sentAtMs, sender, text, payload);
          count++;
        }
      }
      if (id % 100 === 0) await turn();
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
