import type { TopLevelSpec } from "vega-lite";
import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { isMeasured, type MeasuredRow, type ResultFile } from "../../bench/results/result.ts";
import { steps } from "../../bench/extract/contestants.ts";
import { renderSvg } from "../report/render_svg.ts";

/** Of all that pass the test of colour-blind eyes, those that stay apart in grey. */
const colours: Readonly<Record<RuntimeName, string>> = {
  deno: "#0b0f14",
  bun: "#d98c00",
  node: "#3b7dd8",
};

/** The steps that ran to their end over the longest period measured. */
function longestRows({ rows }: ResultFile): MeasuredRow[] {
  const names = steps.map(({ name }) => name);
  const measured = rows.filter(isMeasured).filter(({ workload, contestant }) =>
    workload === "extract" && names.includes(contestant)
  );
  const days = Math.max(...measured.map(({ params }) => Number(params.days)));
  return measured.filter(({ params }) => params.days === days).sort((one, other) =>
    names.indexOf(one.contestant) - names.indexOf(other.contestant) ||
    runtimeNames.indexOf(one.runtime) - runtimeNames.indexOf(other.runtime)
  );
}

/** Draws the ladder of extract, seconds and peak memory of each step, as SVG. */
export async function extractChart(results: ResultFile): Promise<string> {
  const rows = longestRows(results);
  const values = rows.map(({ contestant, runtime, median, peakRssMiB }) => ({
    ...{ step: contestant, runtime, seconds: median / 1000, memory: peakRssMiB },
  }));
  const order = [...new Set(values.map(({ step }) => step))];
  const panel = (field: "seconds" | "memory", title: string) => ({
    width: 300,
    height: 24 * Math.max(1, order.length),
    mark: { type: "point", filled: true, size: 70, opacity: 0.9 },
    encoding: {
      y: { field: "step", type: "nominal", sort: order, title: null, axis: { grid: true } },
      x: { field, type: "quantitative", title, scale: { domainMin: 0 } },
      color: {
        field: "runtime",
        type: "nominal",
        title: null,
        scale: { domain: [...runtimeNames], range: runtimeNames.map((name) => colours[name]) },
      },
      shape: { field: "runtime", type: "nominal", title: null },
    },
  });
  const days = rows[0]?.params.days;
  const spec = {
    background: "#ffffff",
    padding: 12,
    data: { values },
    hconcat: [
      panel("seconds", `seconds for ${days} days`),
      panel("memory", "most memory held, MiB"),
    ],
    config: {
      font: "system-ui, sans-serif",
      view: { stroke: null },
      legend: { orient: "bottom" },
      axis: { labelLimit: 160 },
    },
  } as unknown as TopLevelSpec;
  const sentences = rows.map(({ contestant, runtime, median, peakRssMiB }) =>
    `${contestant} in ${runtime}: ${(median / 1000).toFixed(2)} s, ${peakRssMiB.toFixed(0)} MiB.`
  );
  const svg = await renderSvg(spec, {
    id: "extract-ladder",
    title: "extract: time and memory of each step",
    description: sentences.join(" ") || "Nothing was measured.",
  });
  return `${svg}\n`;
}
