import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { MessageField, MessageRow } from "../../../scenarios/extract/message_row.ts";
import { defaultColumns } from "../../../scenarios/extract/default_columns.ts";
import { fieldsOf } from "../../../scenarios/extract/fields_of.ts";
import { toMessageRow } from "../../../scenarios/extract/to_message_row.ts";

const fields: readonly MessageField[] = fieldsOf(defaultColumns);

const sql = `
  SELECT messages.id AS messageId, sent_at AS sentAtMs, contacts.id AS contactId,
    contacts.name AS contactName, conversations.id AS conversationId,
    messages.*, conversations.*, contacts.*
  FROM messages
  CROSS JOIN conversations ON conversations.id = messages.conversation_id
  CROSS JOIN contacts ON contacts.id = conversations.contact_id
  WHERE sent_at >= ? AND sent_at < ?
  ORDER BY sent_at, messages.id`;

/** Gives `use` the query that fetches every field of a period's messages, as a first version does. */
export function queryEverything<Result>(
  path: string,
  use: (statement: StatementSync, toRow: (values: Record<string, unknown>) => MessageRow) => Result,
): Result {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return use(
      database.prepare(sql),
      (values) => toMessageRow(fields.map((field) => values[field]), fields),
    );
  } finally {
    database.close();
  }
}
