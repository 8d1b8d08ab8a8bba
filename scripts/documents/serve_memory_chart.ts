import type { TopLevelSpec } from "vega-lite";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { isMeasured, type ResultFile } from "../../bench/results/result.ts";
import { config } from "../report/axes.ts";
import { palette } from "../report/palette.ts";
import { renderSvg } from "../report/render_svg.ts";
import { schemeStyle } from "./scheme_style.ts";

/** How often the workload looks at its memory. */
const secondsPerSample = 0.5;

/** Draws the memory of each server while it serves one file to many clients, as SVG. */
export async function serveMemoryChart(results: ResultFile): Promise<string> {
  const rows = results.rows.filter(isMeasured).filter(({ workload, extra }) =>
    workload === "serve_file" && extra?.rssMiB !== undefined
  ).sort((one, other) =>
    runtimeNames.indexOf(one.runtime) - runtimeNames.indexOf(other.runtime) ||
    (one.contestant < other.contestant ? -1 : 1)
  );
  const values = rows.flatMap(({ runtime, contestant, extra }) =>
    String(extra!.rssMiB).split(" ").map((rss, index) => ({
      ...{ runtime, contestant, seconds: index * secondsPerSample, rss: Number(rss) },
    }))
  );
  const peaks = rows.map(({ runtime, contestant, extra }) =>
    `${contestant} in ${runtime}: ${extra!.peakRssMiB} MiB at most.`
  );
  const spec = {
    background: "transparent",
    padding: 12,
    data: { values },
    facet: { column: { field: "runtime", title: null, sort: [...runtimeNames] } },
    spec: {
      width: 230,
      height: 220,
      mark: { type: "line", strokeWidth: 2 },
      encoding: {
        x: { field: "seconds", type: "quantitative", title: "seconds" },
        y: {
          field: "rss",
          type: "quantitative",
          title: "resident memory, MiB (log)",
          scale: { type: "log", nice: true },
        },
        color: { field: "contestant", type: "nominal", title: null },
        strokeDash: { field: "contestant", type: "nominal", title: null },
      },
    },
    config: {
      ...config,
      header: { labelFontSize: 13, labelFontWeight: "bold", labelColor: palette.ink },
      legend: {
        ...{ orient: "bottom", columns: 7, labelLimit: 200 },
        ...{ labelFontSize: 12, labelColor: palette.ink },
      },
    },
  } as unknown as TopLevelSpec;
  const svg = await renderSvg(spec, {
    id: "serve-memory",
    title: "serve_file: memory over time",
    description: peaks.join(" ") || "Nothing was measured.",
  });
  return `${schemeStyle(svg)}\n`;
}
