import { BadDocumentError } from "./bad_document_error.ts";
import type { MessageField, MessageRow } from "./message_row.ts";

const integers: ReadonlySet<MessageField> = new Set<MessageField>([
  "messageId",
  "sentAtMs",
  "contactId",
  "conversationId",
]);

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "object") return Array.isArray(value) ? "an array" : "an object";
  return typeof value === "string" ? "a string" : `${typeof value} ${value}`;
}

/**
 * Checks that `values` holds what a message must hold in each of `fields`, and keeps nothing else.
 *
 * @throws {BadDocumentError} If a field is of the wrong type, with the message's id.
 */
export function toMessageRow(
  values: Readonly<Partial<Record<MessageField, unknown>>>,
  fields: readonly MessageField[],
): MessageRow {
  const row: Partial<Record<MessageField, unknown>> = {};
  for (const field of fields) {
    const value = values[field];
    if (integers.has(field) ? !Number.isSafeInteger(value) : typeof value !== "string") {
      const need = integers.has(field) ? "an integer" : "a string";
      throw new BadDocumentError(
        `message ${String(values.messageId)}: ${field} must be ${need}, got ${kindOf(value)}`,
      );
    }
    row[field] = value;
  }
  return row as MessageRow;
}
