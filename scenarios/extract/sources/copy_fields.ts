import { Buffer } from "node:buffer";
import type { CopyMarks } from "./copy_marks.ts";

/** A byte order mark in UTF-8, which at the start of a file would be no part of the first text. */
export const byteOrderMark = Buffer.from("\ufeff");

/** Where the field that begins at `from` ends. */
export function endOfField(row: Buffer, from: number, { delimiter, quote }: CopyMarks): number {
  let at = from;
  if (row[at] === quote) {
    do at = row.indexOf(quote, at + 1) + 1; while (row[at] === quote);
  }
  const end = row.indexOf(delimiter, at);
  return end < 0 ? row.length : end;
}

/** A field without the quotes around it. */
export function unquote(field: Buffer, { quote }: CopyMarks): Buffer {
  if (field[0] !== quote) return field;
  const bytes = field.subarray(1, -1);
  return Buffer.from(bytes.filter((byte, at) => byte !== quote || !isSecond(bytes, at)));
}

/** Whether an odd number of quotes stands before this one: of two that stand for one, it is the second. */
function isSecond(bytes: Buffer, at: number): boolean {
  const quote = bytes[at];
  let count = 0;
  while (bytes[at - 1 - count] === quote) count++;
  return count % 2 === 1;
}
