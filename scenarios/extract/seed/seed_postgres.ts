import postgres from "postgres";
import { readAddress } from "../../secrets/read_address.ts";
import type { SeedContact } from "./seed_contacts.ts";
import { seedRows, seedSchema, seedTables } from "./seed_tables.ts";

type TableName = keyof typeof seedTables;

const rowsPerStatement = 5_000;

/** Writes contacts to PostgreSQL, in place of the tables that were there, with the index that reading needs. */
export async function seedPostgres(
  address: string,
  contacts: Iterable<SeedContact>,
  signal?: AbortSignal,
): Promise<{ messages: number; name: string }> {
  const sql = postgres(address, { max: 1, onnotice() {}, connect_timeout: 5 });
  const waiting = { contacts: [], conversations: [], messages: [] } as Record<TableName, object[]>;
  const flush = async (table: TableName) => {
    await sql.unsafe(
      `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::text::json)`,
      [JSON.stringify(waiting[table])],
    );
    waiting[table] = [];
  };
  try {
    await sql.unsafe(
      `DROP TABLE IF EXISTS messages, conversations, contacts; ${seedSchema("bigint")}`,
    );
    let count = 0;
    for (const contact of contacts) {
      for (const [table, values] of seedRows(contact)) {
        const columns = seedTables[table];
        const row = Object.fromEntries(columns.map((name, index) => [name, values[index]]));
        if (waiting[table].push(row) === rowsPerStatement) await flush(table);
        if (table === "messages") count++;
      }
      signal?.throwIfAborted();
    }
    for (const table of Object.keys(seedTables)) await flush(table as TableName);
    await sql.unsafe("CREATE INDEX messages_sent_at ON messages (sent_at, id); ANALYZE");
    return { messages: count, name: readAddress(address).name };
  } finally {
    await sql.end({ timeout: 0 });
  }
}
