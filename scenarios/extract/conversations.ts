/** The columns of the preset: a message's, its conversation's and its contact's. */
export const conversationTitles = [
  "contact_id",
  "contact_name",
  "channel",
  "conversation_id",
  "sent_at",
  "sender",
  "text",
  "message_id",
] as const;

/** The columns that are exported if no others are asked for. */
export const defaultConversationTitles: readonly string[] = conversationTitles.slice(0, -1);
