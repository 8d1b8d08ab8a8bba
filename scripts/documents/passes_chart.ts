import type { TopLevelSpec } from "vega-lite";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { formatDuration } from "../../bench/tables/format_duration.ts";
import { isMeasured, type MeasuredRow, type ResultFile } from "../../bench/results/result.ts";
import { config, positionScale, type Range, valueAxis, valueScale } from "../report/axes.ts";
import type { Axis } from "../report/chart.ts";
import { measureAxis, pointOf } from "../report/measures.ts";
import { palette } from "../report/palette.ts";
import { renderSvg } from "../report/render_svg.ts";
import { seriesStyles } from "../report/series_styles.ts";
import { provenance } from "./provenance.ts";
import { schemeStyle } from "./scheme_style.ts";

/** Those whose difference is the point; the tables have them all. */
const shown = ["web", "node", "pull-stream", "fuse", "pipeline", "hand"];

function shownRows({ rows }: ResultFile): MeasuredRow[] {
  const own = rows.filter(isMeasured).filter(({ workload, contestant }) =>
    workload === "copy_lines" && shown.includes(contestant)
  );
  if (own.length === 0) {
    throw new Error("The results have no row of copy_lines: run deno task bench first");
  }
  return own.sort((one, other) =>
    Number(one.params.passes) - Number(other.params.passes) ||
    shown.indexOf(one.contestant) - shown.indexOf(other.contestant) ||
    runtimeNames.indexOf(one.runtime) - runtimeNames.indexOf(other.runtime)
  );
}

/** Says in words what the picture shows: per runtime and contestant, the ends of its line. */
export function describePasses(results: ResultFile): string {
  const rows = shownRows(results);
  const sentences = runtimeNames.flatMap((runtime) => {
    const ends = shown.flatMap((contestant) => {
      const own = rows.filter((row) => row.runtime === runtime && row.contestant === contestant);
      const [first, last] = [own[0], own.at(-1)];
      if (first === undefined || last === undefined) return [];
      const [from, to] = [formatDuration(first.median), formatDuration(last.median)];
      return [`${contestant} ${from} at ${first.params.passes}, ${to} at ${last.params.passes}`];
    });
    return ends.length === 0 ? [] : [`${runtime}: ${ends.join("; ")}.`];
  });
  return `Time of copy_lines against the number of do-nothing stages. ${sentences.join(" ")}`;
}

function specOf(rows: readonly MeasuredRow[]): TopLevelSpec {
  const apis = shown.filter((name) => rows.some(({ contestant }) => contestant === name));
  const styles = seriesStyles(apis);
  const passes = [...new Set(rows.map(({ params }) => Number(params.passes)))];
  const range: Range = [
    Math.min(...rows.map(({ p25 }) => p25 / 1000)),
    Math.max(...rows.map(({ p75 }) => p75 / 1000)),
  ];
  const position: Axis = { title: "do-nothing stages", scale: "symlog", values: passes };
  const value: Axis = { ...measureAxis("time"), title: "time (log)" };
  const style = (key: "colour" | "fill" | "shape") => ({
    field: "api",
    title: null,
    scale: { domain: apis, range: apis.map((name) => styles.get(name)![key]) },
  });
  const x = {
    field: "at",
    type: "quantitative",
    axis: { title: position.title, grid: false, values: passes },
    scale: positionScale(position),
  };
  const y = {
    field: "value",
    type: "quantitative",
    axis: valueAxis(value, range),
    scale: valueScale(value, range),
  };
  const color = style("colour");
  // The legend is that of the points alone: these have no scale that could have one.
  const paint = { field: "paint", type: "nominal", scale: null };
  const strokeDash = { field: "dash", type: "nominal", scale: null };
  const names = runtimeNames.flatMap((name) => {
    const row = rows.find(({ runtime }) => runtime === name);
    return row === undefined ? [] : [`${name} ${row.runtimeVersion}`];
  });
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "transparent",
    padding: 12,
    data: {
      values: rows.map((row) => ({
        ...pointOf(row, Number(row.params.passes), "time"),
        paint: styles.get(row.contestant)!.colour,
        dash: styles.get(row.contestant)!.dash,
        runtime: `${row.runtime} ${row.runtimeVersion}`,
      })),
    },
    facet: { column: { field: "runtime", title: null, sort: names } },
    spec: {
      width: 230,
      height: 240,
      layer: [
        {
          mark: { type: "rule", strokeWidth: 5, opacity: 0.35 },
          encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" }, color: paint },
        },
        {
          mark: { type: "line", strokeWidth: 2 },
          encoding: { x, y, color: paint, strokeDash },
        },
        {
          mark: { type: "point", strokeWidth: 1.5, size: 42, opacity: 1 },
          encoding: { x, y, stroke: color, fill: style("fill"), shape: style("shape") },
        },
      ],
    },
    config: {
      ...config,
      header: { labelFontSize: 13, labelFontWeight: "bold", labelColor: palette.ink },
      legend: {
        ...{ orient: "bottom", direction: "horizontal", columns: 6, symbolSize: 80 },
        ...{ symbolOpacity: 1, gridAlign: "each", columnPadding: 24 },
        ...{ labelFontSize: 13, labelColor: palette.ink, symbolStrokeWidth: 2 },
      },
    },
  } as unknown as TopLevelSpec;
}

/** Draws time against passes, the picture a chain of streams is known by, as SVG. */
export async function passesChart(results: ResultFile): Promise<string> {
  const svg = await renderSvg(specOf(shownRows(results)), {
    id: "passes",
    title: "copy_lines: time against passes",
    description: `${describePasses(results)} ${
      provenance(results, "copy_lines").replaceAll("\n", " ")
    }`,
  });
  return `${schemeStyle(svg)}\n`;
}
