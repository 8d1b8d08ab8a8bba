import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import type { Workload } from "../../../bench/measure/workload.ts";
import { describeParams } from "../../../bench/results/describe_params.ts";
import { ratioRange } from "../../../bench/results/ranges.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import type { Bar, BarSide } from "../../../bench/tables/bar.ts";
import { isBarReached } from "../../../bench/tables/is_bar_reached.ts";
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

/** What we ask of the library beside what it does, over all runs; the end of the range that flatters least counts. */
export function targetsTable(runs: readonly ResultFile[], workloads: readonly Workload[]): string {
  const lines = workloads.flatMap(({ name: workload, bars = [] }) =>
    bars.flatMap((bar) => {
      const cells = runtimeNames.map((runtime) => {
        const query = ({ contestant, params = {} }: BarSide) => ({
          ...{ workload, contestant, runtime, params },
        });
        const range = ratioRange(runs, query(bar.dividend), query(bar.divisor));
        if (range === undefined) return "–";
        const worst = bar.atMost === undefined ? range.low : range.high;
        return `${writeRatioRange(range)}${isBarReached(bar, worst) ? "" : " (missed)"}`;
      });
      if (cells.every((cell) => cell === "–")) return [];
      const limit = bar.atMost === undefined ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
      return [[`\`${workload}\`: ${describe(bar)}`, limit, ...cells]];
    })
  );
  return markdownTable(["times as long", "target", ...runtimeNames], lines);
}
