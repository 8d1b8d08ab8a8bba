import type { conversationTitles } from "../conversations.ts";
import { isoTime, type Value } from "../value.ts";
import type { SqlShape } from "./sql_shape.ts";

function timeText(value: Value): Value {
  const isTime = typeof value === "number" || typeof value === "bigint";
  return isTime ? isoTime(Number(value)) : value;
}

const expressions: Readonly<Record<(typeof conversationTitles)[number], string>> = {
  contact_id: "contacts.id",
  contact_name: "contacts.name",
  channel: "contacts.channel",
  conversation_id: "messages.conversation_id",
  sent_at: "messages.sent_at",
  sender: "messages.sender",
  text: "messages.text",
  message_id: "messages.id",
};

/**
 * Messages with what is known of their conversations and contacts: a message that has none is a row anyway.
 *
 * @param key What tells apart two messages of the same id, if anything does.
 */
export function conversationShape(key?: string): SqlShape {
  return {
    tables: "messages LEFT JOIN conversations ON conversations.id = messages.conversation_id " +
      "LEFT JOIN contacts ON contacts.id = conversations.contact_id",
    columns: Object.entries(expressions).map(([title, expression]) => ({
      expression,
      title,
      ...(title === "sent_at" ? { convert: timeText } : {}),
    })),
    key: [
      { expression: "messages.id", title: "message" },
      ...(key === undefined ? [] : [{ expression: key, title: "" }]),
    ],
    everything: "messages.*, conversations.*, contacts.*",
  };
}
