import postgres, { type Sql } from "postgres";
import { readAddress } from "../../secrets/read_address.ts";
import type { SeedContact } from "./seed_contacts.ts";

const schema = `
  DROP TABLE IF EXISTS messages, conversations, contacts;
  CREATE TABLE contacts (id bigint PRIMARY KEY, name text, channel text, profile text);
  CREATE TABLE conversations (
    id bigint PRIMARY KEY,
    contact_id bigint,
    started_at bigint,
    ended_at bigint,
    state text
  );
  CREATE TABLE messages (
    id bigint PRIMARY KEY,
    conversation_id bigint,
    sent_at bigint,
    sender text,
    text text,
    payload text
  )`;

/** A statement takes 65,534 parameters; messages have six each. */
const rowsPerStatement = 5_000;

type Row = Readonly<Record<string, string | number>>;

/** Gathers rows of one table and writes them many at a time. */
class Table {
  readonly #sql: Sql;
  readonly #name: string;
  #rows: Row[] = [];

  constructor(sql: Sql, name: string) {
    this.#sql = sql;
    this.#name = name;
  }

  async add(row: Row): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length === rowsPerStatement) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    await this.#sql`INSERT INTO ${this.#sql(this.#name)} ${this.#sql(this.#rows)}`;
    this.#rows = [];
  }
}

/** Writes contacts to PostgreSQL, in place of the tables that were there, with the index that reading needs. */
export async function seedPostgres(
  address: string,
  contacts: Iterable<SeedContact>,
  signal?: AbortSignal,
): Promise<{ messages: number; name: string }> {
  const sql = postgres(address, { max: 1, onnotice() {}, connect_timeout: 5 });
  try {
    await sql.unsafe(schema);
    const tables = ["contacts", "conversations", "messages"].map((name) => new Table(sql, name));
    const [people, talks, all] = tables as [Table, Table, Table];
    let count = 0;
    for (const { id, name, channel, profile, conversations } of contacts) {
      await people.add({ id, name, channel, profile });
      for (const { id: talk, startedAtMs, endedAtMs, state, messages } of conversations) {
        await talks.add({
          ...{ id: talk, contact_id: id, started_at: startedAtMs, ended_at: endedAtMs, state },
        });
        for (const { id, sentAtMs, sender, text, payload } of messages) {
          await all.add({ id, conversation_id: talk, sent_at: sentAtMs, sender, text, payload });
          count++;
        }
      }
      signal?.throwIfAborted();
    }
    for (const table of tables) await table.flush();
    await sql.unsafe("CREATE INDEX messages_sent_at ON messages (sent_at, id); ANALYZE");
    return { messages: count, name: readAddress(address).name };
  } finally {
    await sql.end({ timeout: 0 });
  }
}
