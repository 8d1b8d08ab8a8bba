import { type RuntimeName, runtimeNames } from "../../bench/lib/current_runtime.ts";
import { threeDigits } from "../../bench/lib/format_duration.ts";
import { isMeasured, type MeasuredRow, type ResultFile, type Row } from "../../bench/lib/result.ts";
import { markdownTable } from "./markdown_table.ts";
import { provenance } from "./provenance.ts";

const workload = "copy_lines";

/** One side of a ratio: a contestant with a number of do-nothing stages. */
type Side = readonly [contestant: string, passes: number];

interface Bar {
  readonly dividend: Side;
  readonly divisor: Side;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** What the library promises of copy_lines; every figure below is held against its bar. */
const bars: readonly Bar[] = [
  { dividend: ["pipeline", 300], divisor: ["pipeline", 0], atMost: 3 },
  { dividend: ["pipeline-raw", 300], divisor: ["pipeline-raw", 0], atMost: 8 },
  { dividend: ["pull-stream", 300], divisor: ["pipeline", 300], atLeast: 5 },
  { dividend: ["web", 100], divisor: ["pipeline", 100], atLeast: 50 },
  { dividend: ["node", 100], divisor: ["pipeline", 100], atLeast: 10 },
  { dividend: ["pipeline", 0], divisor: ["hand", 0], atMost: 1.5 },
  { dividend: ["fuse", 0], divisor: ["pipeline", 0], atMost: 2 },
  { dividend: ["fuse", 100], divisor: ["pipeline", 100], atMost: 1.3 },
];

/** Whose stages are priced in the second table. */
const priced = ["pipeline", "pipeline-raw", "fuse", "pull-stream", "node", "web"];

function describe({ dividend: [one, passes], divisor: [other, fewer] }: Bar): string {
  return one === other
    ? `\`${one}\`: ${passes} stages / ${fewer}`
    : `\`${one}\` / \`${other}\`, ${passes} stages`;
}

function find(rows: readonly Row[], runtime: RuntimeName, [contestant, passes]: Side) {
  return rows.find((row) =>
    row.runtime === runtime && row.contestant === contestant && row.params.passes === passes
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

function writeRatio(ratio: number, { atMost = Infinity, atLeast = 0 }: Bar): string {
  const missed = ratio > atMost || ratio < atLeast;
  return `${threeDigits(ratio)}${missed ? " (missed)" : ""}`;
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
        find(rows, runtime, [contestant, most]),
        find(rows, runtime, [contestant, 0]),
        writePrice,
      )
    ),
  ]);
  const ratios = bars.map((bar) => [
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
