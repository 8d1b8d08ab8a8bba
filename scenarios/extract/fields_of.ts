import { type ColumnName, columns } from "./columns.ts";
import type { MessageField } from "./message_row.ts";

/** The fields that columns need, after the two that decide the order. */
export function fieldsOf(names: readonly ColumnName[]): MessageField[] {
  return [
    ...new Set<MessageField>([
      "messageId",
      "sentAtMs",
      ...names.map((name) => columns[name].field),
    ]),
  ];
}
