import { closeSync, openSync, writeSync } from "node:fs";
import { defaultConversationTitles } from "../../../scenarios/extract/conversations.ts";
import { createFormat } from "../../../scenarios/extract/formats/create_format.ts";
import type { Row } from "../../../scenarios/extract/source.ts";

/** Writes rows to a file, each by a synchronous call of its own; returns how many. */
export function writeRows(path: string, rows: Iterable<Row>): number {
  const format = createFormat({ format: "csv", titles: defaultConversationTitles });
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
