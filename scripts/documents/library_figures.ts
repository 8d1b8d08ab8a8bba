import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { threeDigits } from "../../bench/tables/format_duration.ts";
import { isBarReached } from "../../bench/tables/is_bar_reached.ts";
import {
  isMeasured,
  type MeasuredRow,
  type ResultFile,
  type Row,
} from "../../bench/results/result.ts";
import type { Bar, BarSide } from "../../bench/tables/bar.ts";
import { copyLinesBars } from "../../bench/copy_lines/copy_lines_bars.ts";
import { markdownTable } from "./markdown_table.ts";
import { provenance } from "./provenance.ts";

const workload = "copy_lines";

/** Whose stages are priced in the second table. */
const priced = [
  "pipeline",
  "pipeline-varied",
  "pipeline-raw",
  "fuse",
  "fuse-batched",
  "pull-stream",
  "node",
  "web",
];

function describe({ dividend, divisor }: Bar): string {
  return dividend.contestant === divisor.contestant
    ? `\`${dividend.contestant}\`: ${dividend.params?.passes} stages / ${divisor.params?.passes}`
    : `\`${dividend.contestant}\` / \`${divisor.contestant}\`, ${dividend.params?.passes} stages`;
}

function find(rows: readonly Row[], runtime: RuntimeName, { contestant, params }: BarSide) {
  return rows.find((row) =>
    row.runtime === runtime && row.contestant === contestant && row.params.passes === params?.passes
  );
}

/** Computes from two rows, or says which of them there is not. */
function compute(
  one: Row | undefined,
  other: Row | undefined,
  write: (one: MeasuredRow, other: MeasuredRow) => string,
): string {
  if (one === undefined || other === undefined) return "not measured";
  return isMeasured(one) && isMeasured(other) ? write(one, other) : "failed";
}

function writeRatio(ratio: number, bar: Bar): string {
  return `${threeDigits(ratio)}${isBarReached(bar, ratio) ? "" : " (missed)"}`;
}

function writePrice(many: MeasuredRow, none: MeasuredRow): string {
  const calls = Number(many.params.passes) * many.chunks;
  const nanoseconds = (many.median - none.median) / calls * 1e6;
  // Less than nothing is what noise measures where there is next to nothing.
  return threeDigits(Math.max(0, nanoseconds));
}

/**
 * What a do-nothing stage costs, and how the library stands to the others and to what it promises:
 * ratios of medians per runtime, each beside its bar.
 */
export function libraryFigures(results: ResultFile): string {
  const rows = results.rows.filter((row) => row.workload === workload);
  if (rows.length === 0) {
    throw new Error(`The results have no row of ${workload}: run deno task bench first`);
  }
  const runtimes = runtimeNames.filter((name) => rows.some(({ runtime }) => runtime === name));
  const versions = runtimes.map((name) => {
    const { runtimeVersion } = rows.find(({ runtime }) => runtime === name)!;
    return `${name} ${runtimeVersion}`;
  });
  const most = Math.max(...rows.map(({ params }) => Number(params.passes ?? 0)));
  const prices = priced.map((contestant) => [
    `\`${contestant}\``,
    ...runtimes.map((runtime) =>
      compute(
        find(rows, runtime, { contestant, params: { passes: most } }),
        find(rows, runtime, { contestant, params: { passes: 0 } }),
        writePrice,
      )
    ),
  ]);
  const ratios = copyLinesBars.map((bar) => [
    describe(bar),
    bar.atMost === undefined ? `≥ ${bar.atLeast}` : `≤ ${bar.atMost}`,
    ...runtimes.map((runtime) =>
      compute(
        find(rows, runtime, bar.dividend),
        find(rows, runtime, bar.divisor),
        (one, other) => writeRatio(one.median / other.median, bar),
      )
    ),
  ]);
  return [
    `What one of ${most} do-nothing stages adds for each chunk, in nanoseconds:`,
    markdownTable(["", ...versions], prices),
    "Ratios of times, beside what is asked of them:",
    markdownTable(["", "bar", ...versions], ratios),
    provenance(results, workload),
  ].join("\n\n");
}
