import type { SeedContact } from "./seed_contacts.ts";

/** The tables of a seed, by their columns. */
export const seedTables = {
  contacts: ["id", "name", "channel", "profile"],
  conversations: ["id", "contact_id", "started_at", "ended_at", "state"],
  messages: ["id", "conversation_id", "sent_at", "sender", "text", "payload"],
} as const;

/** What creates the tables; `integer` is the type that their numbers have. */
export function seedSchema(integer: string): string {
  return Object.entries(seedTables).map(([table, columns]) => {
    const typed = columns.map((name) =>
      name === "id" ? `id ${integer} PRIMARY KEY` : `${name} ${/_/.test(name) ? integer : "text"}`
    );
    return `CREATE TABLE ${table} (${typed.join(", ")});`;
  }).join("\n");
}

/** The rows of a contact. */
export function* seedRows(
  { id, name, channel, profile, conversations }: SeedContact,
): Generator<readonly [table: keyof typeof seedTables, values: readonly (string | number)[]]> {
  yield ["contacts", [id, name, channel, profile]];
  for (const { id: talk, startedAtMs, endedAtMs, state, messages } of conversations) {
    yield ["conversations", [talk, id, startedAtMs, endedAtMs, state]];
    for (const { id, sentAtMs, sender, text, payload } of messages) {
      yield ["messages", [id, talk, sentAtMs, sender, text, payload]];
    }
  }
}
