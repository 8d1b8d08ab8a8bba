import type { TopLevelSpec } from "vega-lite";
import { config, positionScale, type Range, valueAxis, valueScale } from "./axes.ts";
import { endLabels, endRoom, heightForLabels } from "./end_labels.ts";
import type { Chart, Mark, Panel } from "./chart.ts";
import { palette } from "./palette.ts";
import { markLabel } from "./render_svg.ts";
import type { SeriesStyle } from "./series_styles.ts";

/** Everything in it depends on this width: at 360 pixels the text is read without zooming. */
const width = 360;

function styleScales(apis: readonly string[], styles: ReadonlyMap<string, SeriesStyle>) {
  const of = <Key extends keyof SeriesStyle>(key: Key) => ({
    field: "api",
    type: "nominal" as const,
    legend: null,
    scale: { domain: [...apis], range: apis.map((api) => styles.get(api)![key]) as string[] },
  });
  return {
    color: of("colour"),
    stroke: of("colour"),
    fill: of("fill"),
    shape: of("shape"),
    strokeDash: of("dash"),
  };
}

function valuesOf({ points }: Panel) {
  return points.map((point) => ({ ...point, label: markLabel(point.api, point.text) }));
}

const description = { field: "label", type: "nominal" as const };

function lines(chart: Chart, panel: Panel, range: Range, styles: ReadonlyMap<string, SeriesStyle>) {
  const { color, stroke, fill, shape, strokeDash } = styleScales(chart.apis, styles);
  const isSteps = chart.kind === "steps";
  const x = {
    field: "at",
    type: "quantitative" as const,
    scale: {
      ...positionScale(chart.position),
      ...(isSteps ? {} : { range: [0, { expr: `width - ${endRoom(panel)}` }] }),
    },
    axis: {
      title: chart.position.title,
      grid: false,
      ...(chart.position.values ? { values: chart.position.values as number[] } : {}),
    },
  };
  const scale = valueScale(chart.value, range);
  const y = {
    field: "value",
    type: "quantitative" as const,
    scale,
    axis: valueAxis(chart.value, range),
  };
  // A line has one label for all its points: that of the series.
  const series = panel.points.map((point) => ({ ...point, label: markLabel(point.api, "") }));
  const line = {
    data: { values: series },
    mark: {
      type: "line" as const,
      strokeWidth: 2,
      ...(isSteps ? { interpolate: "step-after" as const } : {}),
    },
    encoding: { x, y, color, strokeDash, description },
  };
  if (isSteps) return [line];
  return [
    {
      mark: { type: "rule" as const, strokeWidth: 5, opacity: 0.35 },
      encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" }, color, description },
    },
    line,
    {
      mark: { type: "point" as const, strokeWidth: 1.5, size: 42, opacity: 1 },
      encoding: { x, y, stroke, fill, shape, description },
    },
    ...endLabels(panel, {
      ...{ domain: scale.domain as [number, number], height: heightOf(chart, panel) },
      ...{ x, y, color, stroke, fill, shape },
    }),
  ];
}

/** Whether several contestants share a category, and must stand beside each other in it. */
function isShared({ points }: Panel): boolean {
  return new Set(points.map(({ at }) => at)).size < points.length;
}

/** With its axes, in pixels. */
function heightOf({ kind, position }: Chart, panel: Panel): number {
  if (kind === "lines") return Math.max(260, heightForLabels(panel));
  if (kind === "steps") return 260;
  return 60 + (isShared(panel) ? 34 : 22) * (position.values?.length ?? 0);
}

function dots(chart: Chart, panel: Panel, range: Range, styles: ReadonlyMap<string, SeriesStyle>) {
  const { color, stroke, fill, shape } = styleScales(chart.apis, styles);
  const y = {
    field: "at",
    type: "nominal" as const,
    scale: { domain: chart.position.values as string[] },
    axis: { title: null, grid: true, labelLimit: 240, labelOverlap: false },
  };
  const x = {
    field: "value",
    type: "quantitative" as const,
    scale: valueScale(chart.value, range),
    axis: valueAxis(chart.value, range),
  };
  const yOffset = isShared(panel)
    ? { yOffset: { field: "api", type: "nominal" as const, scale: { domain: [...chart.apis] } } }
    : {};
  const own = (panel.marks ?? []).map((mark: Mark) => ({
    ...mark,
    label: markLabel("", mark.text),
  }));
  return [
    ...(own.length === 0 ? [] : [{
      data: { values: own },
      mark: { type: "tick" as const, thickness: 2, size: 20, color: palette.muted },
      encoding: { x, y, description },
    }]),
    {
      mark: { type: "rule" as const, strokeWidth: 5, opacity: 0.35 },
      encoding: {
        x: { ...x, field: "low" },
        x2: { field: "high" },
        y,
        ...yOffset,
        color,
        description,
      },
    },
    {
      mark: { type: "point" as const, strokeWidth: 1.5, size: 52, opacity: 1 },
      encoding: { x, y, ...yOffset, stroke, fill, shape, description },
    },
  ];
}

/** What a panel looks like, as a Vega-Lite specification. */
export function panelSpec(
  chart: Chart,
  panel: Panel,
  range: Range,
  styles: ReadonlyMap<string, SeriesStyle>,
): TopLevelSpec {
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width,
    height: heightOf(chart, panel),
    autosize: { type: "fit", contains: "padding" },
    padding: 4,
    background: "transparent",
    config,
    data: { values: valuesOf(panel) },
    layer: chart.kind === "dots"
      ? dots(chart, panel, range, styles)
      : lines(chart, panel, range, styles),
  } as unknown as TopLevelSpec;
}
