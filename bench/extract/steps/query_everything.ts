import { DatabaseSync, type StatementSync } from "node:sqlite";
import { isoTime, type Value } from "../../../scenarios/extract/value.ts";
import type { Row } from "../../../scenarios/extract/source.ts";

const sql = `
  SELECT messages.id AS messageId, sent_at AS sentAtMs, contacts.id AS contactId,
    contacts.name AS contactName, conversations.id AS conversationId,
    messages.*, conversations.*, contacts.*
  FROM messages
  CROSS JOIN conversations ON conversations.id = messages.conversation_id
  CROSS JOIN contacts ON contacts.id = conversations.contact_id
  WHERE sent_at >= ? AND sent_at < ?
  ORDER BY sent_at, messages.id`;

function toRow(values: Record<string, unknown>): Row {
  const { contactId, contactName, channel, conversationId, sentAtMs, sender, text } =
    values as Record<string, Value>;
  return [contactId, contactName, channel, conversationId, isoTime(Number(sentAtMs)), sender, text];
}

/** Gives `use` the query that fetches every field of a period's messages, as a first version does. */
export function queryEverything<Result>(
  address: string,
  use: (statement: StatementSync, toRow: (values: Record<string, unknown>) => Row) => Result,
): Result {
  const database = new DatabaseSync(address.slice("sqlite:".length), { readOnly: true });
  try {
    return use(database.prepare(sql), toRow);
  } finally {
    database.close();
  }
}
