import { threeDigits } from "./format_duration.ts";
import { isMeasured, type MeasuredRow, type Row } from "./result.ts";
import type { RowTable } from "./row_table.ts";
import { ratioOfMedians } from "./statistics.ts";
import type { Bar } from "./workload.ts";

function measured(row: Row | undefined): MeasuredRow[] {
  return row !== undefined && isMeasured(row) ? [row] : [];
}

/** Says in which runtimes of a table a bar is reached; nothing if it cannot be told in any. */
export function describeBar(
  { about, contestant, peer, minimumSpeedup }: Bar,
  table: RowTable,
): string[] {
  const verdicts = table.runtimes.flatMap(({ name }) =>
    measured(table.row(contestant, name)).flatMap((row) =>
      measured(table.row(peer, name)).map((peerRow) => {
        const speedup = ratioOfMedians(peerRow, row);
        return `${name} ${threeDigits(speedup)} ${speedup >= minimumSpeedup ? "yes" : "NO"}`;
      })
    )
  );
  return verdicts.length === 0 ? [] : [`bar: ${about}: ${verdicts.join(", ")}`];
}
