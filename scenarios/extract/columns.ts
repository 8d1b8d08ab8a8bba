import { isoTime } from "./iso_time.ts";
import type { MessageField, MessageRow } from "./message_row.ts";

/** A column of the output: the field it needs and how that is shown. */
export interface Column {
  readonly field: MessageField;
  value(row: MessageRow): string | number | undefined;
}

/** Every column there is, by its title. */
export const columns = {
  contact_id: { field: "contactId", value: (row) => row.contactId },
  contact_name: { field: "contactName", value: (row) => row.contactName },
  channel: { field: "channel", value: (row) => row.channel },
  conversation_id: { field: "conversationId", value: (row) => row.conversationId },
  sent_at: { field: "sentAtMs", value: (row) => isoTime(row.sentAtMs) },
  sender: { field: "sender", value: (row) => row.sender },
  text: { field: "text", value: (row) => row.text },
  message_id: { field: "messageId", value: (row) => row.messageId },
} as const satisfies Record<string, Column>;

/** The title of a column. */
export type ColumnName = keyof typeof columns;
