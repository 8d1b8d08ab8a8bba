import { BadRowError } from "../bad_row_error.ts";
import type { conversationTitles } from "../conversations.ts";
import type { CursorOptions, Span } from "../source.ts";
import type { Value } from "../value.ts";
import { compareIds, isTooLarge } from "./mongodb_client.ts";
import { documentValue } from "./document_value.ts";
import { type TimedRow, timeProblem } from "./time_order.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What of a conversation's messages is wanted, and by whom. */
export interface ConversationPart extends Pick<CursorOptions, "isFirst" | "onRow" | "onBadRow"> {
  readonly part: Span;
  /** All that is exported. */
  readonly whole: Span;
  readonly titles: readonly (typeof conversationTitles)[number][];
  readonly maxValueBytes: number;
}

function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}

function timeOf(value: unknown): number | undefined {
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.getTime() : undefined;
}

const isIn = (time: number, { from, to }: Span) => time >= from && time < to;

function messageName(id: unknown, conversation: unknown): string {
  return `message ${documentText(id)} of conversation ${documentText(conversation)}`;
}

function documentText(value: unknown): string {
  const shown = documentValue(value);
  return typeof shown === "object" && shown !== null ? "…" : String(shown);
}

/** Why a conversation cannot be found by its time, whichever part reads it; `undefined`: it can. */
function placeProblem({ startedAt, endedAt }: Fields): string | undefined {
  if (timeOf(startedAt) === undefined) {
    return `its conversation's ${timeProblem("startedAt", startedAt)}`;
  }
  if (timeOf(endedAt) === undefined) return `its conversation's ${timeProblem("endedAt", endedAt)}`;
  return undefined;
}

/**
 * Reports the messages of a conversation that is not read by its time: those of the period, and those without a time.
 */
export function reportUnplacedMessages(
  document: unknown,
  { whole, onRow, onBadRow }: Pick<ConversationPart, "whole" | "onRow" | "onBadRow">,
): void {
  const fields = asFields(document);
  const problem = placeProblem(fields) ?? "sentAt is not between startedAt and endedAt";
  const { _id, messages } = fields;
  if (!Array.isArray(messages)) {
    onRow();
    return onBadRow(new BadRowError(`conversation ${documentText(_id)}`, "messages is no array"));
  }
  for (const message of messages) {
    const { id, sentAt } = asFields(message);
    const sentAtMs = timeOf(sentAt);
    if (sentAtMs !== undefined && !isIn(sentAtMs, whole)) continue;
    onRow();
    onBadRow(new BadRowError(messageName(id, _id), problem));
  }
}

/**
 * The rows of a conversation that were sent in a part, by time, then id. A message without a place is reported once,
 * however many parts read the conversation: by that of the conversation's beginning.
 */
export function conversationRows(document: unknown, options: ConversationPart): TimedRow[] {
  const { part, whole, isFirst, titles, maxValueBytes, onRow } = options;
  const { _id, startedAt, endedAt, contact, messages } = asFields(document);
  const [startedAtMs, endedAtMs] = [timeOf(startedAt)!, timeOf(endedAt)!];
  const beganHere = startedAtMs >= part.from || isFirst;
  const rows: TimedRow[] = [];
  const report = (name: string, reason: string) => {
    if (!beganHere) return;
    onRow();
    options.onBadRow(new BadRowError(name, reason));
  };
  if (!Array.isArray(messages)) {
    report(`conversation ${documentText(_id)}`, "messages is no array");
    return rows;
  }
  const { id: contactId, name: contactName, channel } = asFields(contact);
  for (const message of messages) {
    const { id, sentAt, sender, text } = asFields(message);
    const sentAtMs = timeOf(sentAt);
    if (sentAtMs === undefined) {
      report(messageName(id, _id), timeProblem("sentAt", sentAt));
    } else if (sentAtMs < startedAtMs || sentAtMs > endedAtMs) {
      if (isIn(sentAtMs, whole)) {
        report(messageName(id, _id), "sentAt is not between startedAt and endedAt");
      }
    } else if (isIn(sentAtMs, part)) {
      onRow();
      const fields: Readonly<Record<(typeof titles)[number], unknown>> = {
        contact_id: contactId,
        contact_name: contactName,
        channel,
        conversation_id: _id,
        sent_at: sentAt,
        sender,
        text,
        message_id: id,
      };
      try {
        const row = titles.map((title) => toValue(title, fields[title], maxValueBytes));
        rows.push({ sentAtMs, id, row });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        options.onBadRow(new BadRowError(messageName(id, _id), error.message));
      }
    }
  }
  return rows.sort((one, other) => one.sentAtMs - other.sentAtMs || compareIds(one.id, other.id));
}

function toValue(title: string, field: unknown, maxValueBytes: number): Value {
  const value = documentValue(field);
  if (isTooLarge(value, maxValueBytes)) throw new RangeError(`${title} is larger than --max-value`);
  // As where columns are: what is not there is NULL.
  return value ?? null;
}
