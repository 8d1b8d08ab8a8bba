import type { ColumnName } from "./columns.ts";

/** The columns of the output, from left to right, if nobody asks for others. */
export const defaultColumns: readonly ColumnName[] = [
  "contact_id",
  "contact_name",
  "channel",
  "conversation_id",
  "sent_at",
  "sender",
  "text",
];
