import type { TopLevelSpec } from "vega-lite";
import type { Axis } from "./chart.ts";
import { logTicks } from "./log_ticks.ts";
import { palette } from "./palette.ts";

/** The smallest and the largest value that panels to be compared must show. */
export type Range = readonly [low: number, high: number];

/** How all charts look. */
export const config: TopLevelSpec["config"] = {
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
    labelColor: palette.muted,
    titleColor: palette.muted,
    domainColor: palette.muted,
    tickColor: palette.muted,
    gridColor: palette.grid,
    labelOverlap: "greedy",
  },
};

const labels = { s: "format(datum.value, '~s') + 's'", "": "format(datum.value, '~s')" } as const;

/** How values are spread: with some room beyond the outermost. */
export function valueScale({ scale }: Axis, [low, high]: Range) {
  return scale === "log"
    ? { type: "log" as const, domain: [low / 1.15, high * 1.15], nice: false }
    : { type: "linear" as const, domain: [0, high * 1.05 || 1], nice: true };
}

/** What the axis of values says. */
export function valueAxis({ title, scale, unit = "" }: Axis, [low, high]: Range) {
  return {
    title,
    labelExpr: labels[unit],
    ...(scale === "log" ? { values: logTicks(low / 1.15, high * 1.15) } : { tickCount: 4 }),
  };
}

/** How positions are spread. */
export function positionScale({ scale, values = [] }: Axis) {
  if (scale === "log") return { type: "log" as const, base: 2, nice: false };
  if (scale !== "symlog") return { type: "linear" as const, nice: false, zero: true };
  // The part around zero is as wide as the step to the first value beyond it.
  const first = values.map(Number).filter((value) => value > 0).sort((a, b) => a - b)[0] ?? 1;
  return { type: "symlog" as const, constant: first, nice: false };
}
