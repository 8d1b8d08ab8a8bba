import type { TopLevelSpec } from "vega-lite";
import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { isMeasured, type ResultFile, type Row } from "../../bench/results/result.ts";
import { steps } from "../../bench/extract/contestants.ts";
import { config } from "../report/axes.ts";
import { palette } from "../report/palette.ts";
import { renderSvg } from "../report/render_svg.ts";
import { schemeStyle } from "./scheme_style.ts";

/** Of all that pass the test of colour-blind eyes, those that stay apart in grey. */
const colours: Readonly<Record<RuntimeName, string>> = {
  deno: palette.ink,
  bun: palette.orange,
  node: palette.blue,
};

/** The steps over the longest period measured, those that died included. */
function longestRows({ rows }: ResultFile): Row[] {
  const names = steps.map(({ name }) => name);
  const own = rows.filter(({ workload, contestant }) =>
    workload === "extract" && names.includes(contestant)
  );
  const days = Math.max(...own.filter(isMeasured).map(({ params }) => Number(params.days)));
  return own.filter(({ params }) => params.days === days).sort((one, other) =>
    names.indexOf(one.contestant) - names.indexOf(other.contestant) ||
    runtimeNames.indexOf(one.runtime) - runtimeNames.indexOf(other.runtime)
  );
}

/** Where a row stands in both panels: one that died stands where it did, as far as its error says. */
function place(row: Row) {
  const { contestant: step, runtime } = row;
  if (isMeasured(row)) {
    return { step, runtime, seconds: row.median / 1000, memory: row.peakRssMiB, end: "" };
  }
  const find = (pattern: RegExp) => Number(pattern.exec(row.error)?.[1] ?? 0);
  const [seconds, memory] = [find(/after ([\d.]+) s/), find(/heap of ([\d.]+) MiB/)];
  return { step, runtime, seconds, memory, end: `✕ dies (${runtime})` };
}

/** Draws the ladder of extract, seconds and peak memory of each step, as SVG. */
export async function extractChart(results: ResultFile): Promise<string> {
  const rows = longestRows(results);
  const values = rows.map(place);
  const order = [...new Set(values.map(({ step }) => step))];
  const panel = (field: "seconds" | "memory", title: string) => ({
    width: 300,
    height: 24 * Math.max(1, order.length),
    encoding: {
      y: { field: "step", type: "nominal", sort: order, title: null, axis: { grid: true } },
      x: { field, type: "quantitative", title, scale: { domainMin: 0 } },
    },
    layer: [
      {
        transform: [{ filter: "datum.end === ''" }],
        mark: { type: "point", filled: true, size: 70, opacity: 0.9 },
        encoding: {
          color: {
            field: "runtime",
            type: "nominal",
            title: null,
            scale: { domain: [...runtimeNames], range: runtimeNames.map((name) => colours[name]) },
          },
          shape: { field: "runtime", type: "nominal", title: null },
        },
      },
      {
        transform: [{ filter: "datum.end !== ''" }],
        mark: { type: "text", align: "left", fontSize: 13, fontWeight: "bold" },
        encoding: { text: { field: "end" }, color: { value: palette.vermillion } },
      },
    ],
  });
  const days = rows[0]?.params.days;
  const spec = {
    background: "transparent",
    padding: 12,
    data: { values },
    hconcat: [
      panel("seconds", `seconds for ${days} days`),
      panel("memory", "most memory held, MiB"),
    ],
    config: {
      ...config,
      legend: { orient: "bottom", labelFontSize: 12, labelColor: palette.ink },
      axis: { ...config?.axis, labelLimit: 160 },
    },
  } as unknown as TopLevelSpec;
  const sentences = rows.map((row) =>
    `${row.contestant} in ${row.runtime}${
      isMeasured(row)
        ? `: ${(row.median / 1000).toFixed(2)} s, ${row.peakRssMiB.toFixed(0)} MiB`
        : ` ${row.error}`
    }.`
  );
  const svg = await renderSvg(spec, {
    id: "extract-ladder",
    title: "extract: time and memory of each step",
    description: sentences.join(" ") || "Nothing was measured.",
  });
  return `${schemeStyle(svg)}\n`;
}
