import { BadDocumentError } from "../bad_document_error.ts";
import type { MessageField, MessageRow } from "../message_row.ts";
import type { CursorOptions } from "../source.ts";
import { toMessageRow } from "../to_message_row.ts";

type Fields = Readonly<Record<string, unknown>>;

function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}

function timeOf(value: unknown): number | undefined {
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.getTime() : undefined;
}

function compare(one: MessageRow, other: MessageRow): number {
  return one.sentAtMs - other.sentAtMs || one.messageId - other.messageId;
}

/**
 * The rows of a conversation that were sent in a part, by time, then id. What is no message is
 * reported once, however many parts read the conversation: by the part of its time, or, where it
 * has none, by that of the conversation's beginning.
 */
export function conversationRows(document: unknown, options: CursorOptions): MessageRow[] {
  const { part: { fromMs, toMs }, isFirst, fields, onBadDocument } = options;
  const { _id, startedAt, endedAt, contact, messages } = asFields(document);
  const [startedAtMs, endedAtMs] = [timeOf(startedAt)!, timeOf(endedAt)!];
  const beganHere = startedAtMs >= fromMs || isFirst;
  const rows: MessageRow[] = [];
  const report = (isOurs: boolean, text: string) => {
    if (isOurs) onBadDocument(new BadDocumentError(text));
  };
  if (!Array.isArray(messages)) {
    report(beganHere, `conversation ${_id}: messages must be an array`);
    return rows;
  }
  const { id: contactId, name: contactName, channel } = asFields(contact);
  for (const message of messages) {
    const { id: messageId, sentAt, sender, text } = asFields(message);
    const sentAtMs = timeOf(sentAt);
    if (sentAtMs === undefined) {
      report(beganHere, `message ${messageId} of conversation ${_id}: sentAt must be a date`);
    } else if (sentAtMs < startedAtMs || sentAtMs > endedAtMs) {
      report(
        beganHere,
        `message ${messageId} of conversation ${_id}: sentAt must be between startedAt and endedAt`,
      );
    } else if (sentAtMs >= fromMs && sentAtMs < toMs) {
      const values: Readonly<Record<MessageField, unknown>> = {
        messageId,
        sentAtMs,
        contactId,
        contactName,
        channel,
        conversationId: _id,
        sender,
        text,
      };
      try {
        rows.push(toMessageRow(fields.map((field) => values[field]), fields));
      } catch (error) {
        if (!(error instanceof BadDocumentError)) throw error;
        onBadDocument(error);
      }
    }
  }
  return rows.sort(compare);
}
