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
 * Checks that `values`, one for each of `fields`, are what a message must hold.
 *
 * @throws {BadDocumentError} If one is of the wrong type, with the message's id.
 */
export function toMessageRow(
  values: readonly unknown[],
  fields: readonly MessageField[],
): MessageRow {
  const row: Partial<Record<MessageField, unknown>> = {};
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index]!;
    const value = values[index];
    if (integers.has(field) ? !Number.isSafeInteger(value) : typeof value !== "string") {
      const need = integers.has(field) ? "an integer" : "a string";
      const id = String(values[fields.indexOf("messageId")]);
      throw new BadDocumentError(`message ${id}: ${field} must be ${need}, got ${kindOf(value)}`);
    }
    row[field] = value;
  }
  return row as MessageRow;
}
