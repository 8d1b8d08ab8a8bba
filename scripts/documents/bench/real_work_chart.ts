import type { TopLevelSpec } from "vega-lite";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { ratioRange } from "../../../bench/results/ranges.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import { isControl, isOurs } from "../../../bench/results/roles.ts";
import { config } from "../../report/axes.ts";
import { palette } from "../../report/palette.ts";
import { renderSvg } from "../../report/render_svg.ts";
import { schemeStyle } from "../scheme_style.ts";
import { writeRatioRange } from "./write_range.ts";

const shown = [
  ...["hand", "pipeline", "fuse", "most-core", "rxjs", "effect"],
  ...["async-generators", "node", "web"],
];

function points(runs: readonly ResultFile[]) {
  const params = { from: "file" };
  return runtimeNames.flatMap((runtime) =>
    shown.flatMap((contestant) => {
      const query = (contestant: string) => ({
        workload: "real_work",
        contestant,
        runtime,
        params,
      });
      const range = ratioRange(runs, query(contestant), query("pipeline"));
      if (range === undefined) return [];
      const kind = isOurs(contestant) ? "ours" : isControl(contestant) ? "control" : "rival";
      return [{ runtime, contestant, kind, ...range, middle: Math.sqrt(range.low * range.high) }];
    })
  );
}

/** Says in words what the picture shows. */
export function describeRealWork(runs: readonly ResultFile[]): string {
  const all = points(runs);
  const sentences = runtimeNames.flatMap((runtime) => {
    const own = all.filter((point) => point.runtime === runtime && point.contestant !== "pipeline");
    return own.length === 0 ? [] : [
      `${runtime}: ${
        own.map((point) => `${point.contestant} ${writeRatioRange(point)}`).join(", ")
      }.`,
    ];
  });
  const opening = "Lines of JSON from a file to a file, in times as long as pipeline.";
  return [opening, ...sentences].join(" ");
}

/** Draws how many times as long as `pipeline` each takes for real work, as SVG. */
export async function realWorkChart(runs: readonly ResultFile[]): Promise<string> {
  const values = points(runs);
  const kinds = ["ours", "rival", "control"];
  const color = {
    field: "kind",
    type: "nominal",
    title: null,
    scale: { domain: kinds, range: [palette.blue, palette.vermillion, palette.ink] },
  };
  const shape = { ...color, scale: { domain: kinds, range: ["square", "triangle-up", "circle"] } };
  const y = { field: "contestant", type: "nominal", sort: shown, title: null };
  const x = {
    field: "middle",
    type: "quantitative",
    title: "times as long (log)",
    scale: { type: "log", nice: true },
  };
  const spec = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "transparent",
    padding: 12,
    data: { values },
    facet: { column: { field: "runtime", title: null, sort: [...runtimeNames] } },
    spec: {
      width: 200,
      height: 24 * shown.length,
      layer: [
        {
          mark: { type: "rule", strokeWidth: 6, opacity: 0.35 },
          encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" }, color },
        },
        {
          mark: { type: "point", filled: true, size: 70, opacity: 1 },
          encoding: { y, x, color, shape },
        },
      ],
    },
    config: {
      ...config,
      header: { labelFontSize: 13, labelFontWeight: "bold", labelColor: palette.ink },
      legend: { orient: "bottom", labelFontSize: 13, labelColor: palette.ink },
    },
  } as unknown as TopLevelSpec;
  const svg = await renderSvg(spec, {
    id: "real-work",
    title: "real_work: how many times as long as pipeline",
    description: describeRealWork(runs),
  });
  return `${schemeStyle(svg)}\n`;
}
