import { closeSync, openSync, writeSync } from "node:fs";
import { caseSelection } from "../../extract/case_selection.ts";
import { createFormat } from "../../../scenarios/extract/formats/create_format.ts";
import { openSource } from "../../../scenarios/extract/open_source.ts";
import type { Row } from "../../../scenarios/extract/row_batch.ts";
import type { RunExtract } from "../../extract/job.ts";

const everything = 100_000;

/** Loads all rows with all their fields, then writes each by a synchronous call of its own. */
export const loadEverything: RunExtract = async ({ address, outputPath, period }) => {
  const source = await openSource(address, caseSelection(period));
  const file = openSync(outputPath, "w");
  try {
    const rows: Row[] = [];
    const batches = source.read({
      ...{ part: source.span, isFirst: true, batchSize: everything, projection: false },
      onRow() {},
      onBadRow(error) {
        throw error;
      },
    });
    for await (const batch of batches) rows.push(...batch.rows);
    const format = createFormat({ format: "csv", titles: source.titles });
    writeSync(file, format.header());
    for (const row of rows) writeSync(file, format.lines([row]));
    return rows.length;
  } finally {
    closeSync(file);
    await source.close();
  }
};
