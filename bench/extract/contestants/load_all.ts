import type { RunExtract } from "../job.ts";
import { queryEverything } from "../steps/query_everything.ts";
import { writeRows } from "../steps/write_rows.ts";

// deno-lint-ignore require-await -- what fails must reject, as with all others
export const loadAll: RunExtract = async ({ address, outputPath, period }) =>
  queryEverything(address, (statement, toRow) => {
    const all = statement.all(period.fromMs, period.toMs);
    return writeRows(outputPath, all.map(toRow));
  });
