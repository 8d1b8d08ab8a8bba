import { isMeasured, type Row } from "../../bench/results/result.ts";
import { describeParams } from "../../bench/results/describe_params.ts";
import { isControl, isOurs } from "../../bench/results/roles.ts";

/** How many contestants a chart shows unless all are asked for. */
const few = 5;

/** Ours, the limit, and what every runtime comes with. */
const wellKnown = ["pipeline", "hand", "web", "node"];

/** The contestant that is nearest to the fastest of `names`, over all of its cases. */
function fastestOf(names: readonly string[], rows: readonly Row[]): string[] {
  const cases = Map.groupBy(
    rows.filter(isMeasured).filter(({ contestant }) => names.includes(contestant)),
    ({ runtime, params }) => `${runtime} ${describeParams(params)}`,
  );
  const slowness = new Map<string, number[]>();
  for (const group of cases.values()) {
    const best = Math.min(...group.map(({ median }) => median));
    for (const { contestant, median } of group) {
      slowness.set(contestant, [...slowness.get(contestant) ?? [], Math.log(median / best)]);
    }
  }
  const mean = (values: readonly number[]) =>
    values.reduce((sum, one) => sum + one, 0) / values.length;
  const sorted = [...slowness].sort(([, one], [, other]) => mean(one) - mean(other));
  return sorted.slice(0, 1).map(([name]) => name);
}

/** Five of a workload's contestants: the well-known ones, the fastest rival, then in their order. */
export function chooseFew(order: readonly string[], rows: readonly Row[]): string[] {
  const known = wellKnown.filter((name) => order.includes(name));
  const rest = order.filter((name) => !known.includes(name));
  const rivals = rest.filter((name) => !isOurs(name) && !isControl(name));
  const chosen = [...new Set([...known, ...fastestOf(rivals, rows), ...rest])].slice(0, few);
  return order.filter((name) => chosen.includes(name));
}
