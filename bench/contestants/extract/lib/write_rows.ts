import { closeSync, openSync, writeSync } from "node:fs";
import { csvFormat } from "../../../../src/scenarios/extract/csv_format.ts";
import { defaultColumns } from "../../../../src/scenarios/extract/default_columns.ts";
import type { MessageRow } from "../../../../src/scenarios/extract/message_row.ts";

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
