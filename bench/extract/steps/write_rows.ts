import { closeSync, openSync, writeSync } from "node:fs";
import { csvFormat } from "../../../scenarios/extract/csv_format.ts";
import { defaultColumns } from "../../../scenarios/extract/default_columns.ts";
import type { MessageRow } from "../../../scenarios/extract/message_row.ts";

/** Writes rows to a file, each by a synchronous call of its own; returns how many. */
export function writeRows(path: string, rows: Iterable<MessageRow>): number {
  const format = csvFormat({ columns: defaultColumns });
  const file = openSync(path, "w");
  try {
    writeSync(file, format.header());
    let count = 0;
    for (const row of rows) {
      writeSync(file, format.lines([row]));
      count++;
    }
    return count;
  } finally {
    closeSync(file);
  }
}
