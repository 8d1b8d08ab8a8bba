import { keepHeapSmall } from "../../../scenarios/extract/keep_heap_small.ts";
import type { RunExtract } from "../job.ts";
import { queryEverything } from "../steps/query_everything.ts";
import { writeRows } from "../steps/write_rows.ts";

// deno-lint-ignore require-await -- what fails must reject, as with all others
export const cursor: RunExtract = async ({ address, outputPath, period }) => {
  // As all later steps do: otherwise its memory would be what the collector leaves lying, not what a cursor holds.
  keepHeapSmall();
  return queryEverything(address, (statement, toRow) => {
    function* rows() {
      const iterator = statement.iterate(period.fromMs, period.toMs);
      for (let next = iterator.next(); !next.done; next = iterator.next()) yield toRow(next.value);
    }
    return writeRows(outputPath, rows());
  });
};
