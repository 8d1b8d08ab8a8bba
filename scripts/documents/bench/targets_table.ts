import { type RuntimeName, runtimeNames } from "../../../runtimes/current_runtime.ts";
import type { Workload } from "../../../bench/measure/workload.ts";
import { describeParams } from "../../../bench/results/describe_params.ts";
import { ratioRange } from "../../../bench/results/ranges.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import type { Bar, BarSide } from "../../../bench/tables/bar.ts";
import { isBarReached } from "../../../bench/tables/is_bar_reached.ts";
import { bullet } from "../bullet.ts";
import { markdownTable } from "../markdown_table.ts";
import { writeRatioRange } from "./write_range.ts";

function describe({ dividend, divisor }: Bar): string {
  const side = ({ contestant, params = {} }: BarSide) => {
    const values = describeParams(params).replaceAll("=", " ");
    return [contestant, values].filter(Boolean).join(" ");
  };
  const isSame = describeParams(dividend.params ?? {}) === describeParams(divisor.params ?? {});
  return isSame
    ? `${dividend.contestant} / ${side(divisor)}`
    : `${side(dividend)} / ${side(divisor)}`;
}

/** A bar in words, what it came to in each runtime, and where that is too little. */
function judge(runs: readonly ResultFile[], workload: string, bar: Bar) {
  const missed: RuntimeName[] = [];
  const cells = runtimeNames.map((runtime) => {
    const query = ({ contestant, params = {} }: BarSide) => ({
      ...{ workload, contestant, runtime, params },
    });
    const range = ratioRange(runs, query(bar.dividend), query(bar.divisor));
    if (range === undefined) return "–";
    const missedRuns = runs.filter((run) => {
      const own = ratioRange([run], query(bar.dividend), query(bar.divisor));
      if (own === undefined) return false;
      return !isBarReached(bar, bar.atMost === undefined ? own.low : own.high);
    }).length;
    if (missedRuns === 0) return writeRatioRange(range);
    if (missedRuns * 2 > runs.length) missed.push(runtime);
    const how = missedRuns === runs.length ? "missed" : `missed in ${missedRuns} of ${runs.length}`;
    return `${writeRatioRange(range)} (${how})`;
  });
  const limit = bar.atMost === undefined ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
  return { name: `\`${workload}\`: ${describe(bar)}`, limit, cells, missed };
}

/**
 * What we ask of the library beside what it does, over all runs; the least favourable end of the range counts.
 * Below it, why what is missed is missed.
 */
export function targetsTable(runs: readonly ResultFile[], workloads: readonly Workload[]): string {
  const judged = workloads.flatMap(({ name, bars = [] }) =>
    bars.map((bar) => ({ ...judge(runs, name, bar), why: bar.whyMissed ?? "Not explained yet." }))
  ).filter(({ cells }) => cells.some((cell) => cell !== "–"));
  const table = markdownTable(
    ["times as long", "target", ...runtimeNames],
    judged.map(({ name, limit, cells }) => [name, limit, ...cells]),
  );
  const reasons = Map.groupBy(judged.filter(({ missed }) => missed.length > 0), ({ why }) => why);
  if (reasons.size === 0) return table;
  const items = [...reasons].map(([why, bars]) =>
    bullet(
      `${bars.map(({ name, missed }) => `${name}, in ${missed.join(", ")}`).join("; ")}. ${why}`,
    )
  );
  return `${table}\n\nWhy these targets are missed:\n\n${items.join("\n")}`;
}
