import type { TopLevelSpec } from "vega-lite";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { config } from "../../report/axes.ts";
import { palette } from "../../report/palette.ts";
import { renderSvg } from "../../report/render_svg.ts";
import { markdownTable } from "../markdown_table.ts";
import { schemeStyle } from "../scheme_style.ts";
import { type HistoryEntry, readHistory } from "./read_history.ts";

/** What is compared over the versions: of `native_ends`. */
const columns = [
  { title: "no stage: `pipeTo`", contestant: "web", stages: 0 },
  { title: "`pipeline`", contestant: "pipeline", stages: 0 },
  { title: "one: `pipeThrough`", contestant: "web", stages: 1 },
  { title: "`pipeline`", contestant: "pipeline", stages: 1 },
  { title: "ten: `pipeThrough`", contestant: "web", stages: 10 },
  { title: "`pipeline`", contestant: "pipeline", stages: 10 },
] as const;

function nsOf(entry: HistoryEntry, contestant: string, stages: number): number | undefined {
  const row = entry.rows.find((one) =>
    one.workload === "native_ends" && one.contestant === contestant && one.params.stages === stages
  );
  return row === undefined ? undefined : row.median * 1e6 / row.chunks;
}

/** Nanoseconds a chunk in each version of each runtime. */
export function historyTable(history: readonly HistoryEntry[] = readHistory()): string {
  if (history.length === 0) return "Not measured: `deno task bench --runtime-version` does.";
  return markdownTable(
    ["ns a chunk", ...columns.map(({ title }) => title)],
    history.map((entry) => [
      `${entry.runtime} ${entry.version}`,
      ...columns.map(({ contestant, stages }) => {
        const ns = nsOf(entry, contestant, stages);
        return ns === undefined ? "–" : Math.round(ns).toLocaleString("en");
      }),
    ]),
  );
}

const names = { web: "pipeThrough", pipeline: "pipeline" } as const;

function points(history: readonly HistoryEntry[]) {
  return history.flatMap((entry) =>
    (["web", "pipeline"] as const).flatMap((contestant) => {
      const ns = nsOf(entry, contestant, 1);
      const version = entry.version.split(".").slice(0, entry.runtime === "node" ? 1 : 2).join(".");
      return ns === undefined
        ? []
        : [{ runtime: entry.runtime, version, api: names[contestant], ns: Math.round(ns) }];
    })
  );
}

/** Says in words what the picture shows. */
export function describeHistory(history: readonly HistoryEntry[] = readHistory()): string {
  const sentences = runtimeNames.flatMap((runtime) => {
    const own = points(history).filter((point) => point.runtime === runtime);
    if (own.length === 0) return [];
    return [
      `${runtime}: ${own.map(({ version, api, ns }) => `${version} ${api} ${ns}`).join(", ")}.`,
    ];
  });
  return ["One stage between native ends, in nanoseconds a chunk, by version.", ...sentences].join(
    " ",
  );
}

/** Draws who became faster when, as SVG. */
export async function historyChart(): Promise<string> {
  const values = points(readHistory());
  const domain = Object.values(names);
  const color = {
    field: "api",
    type: "nominal",
    title: null,
    scale: { domain, range: [palette.vermillion, palette.blue] },
  };
  const spec = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "transparent",
    padding: 12,
    data: { values },
    facet: { column: { field: "runtime", title: null, sort: [...runtimeNames] } },
    spec: {
      width: 190,
      height: 180,
      layer: [
        { mark: { type: "line", strokeWidth: 2 } },
        { mark: { type: "point", size: 60, filled: true, opacity: 1 } },
      ],
      encoding: {
        x: { field: "version", type: "ordinal", title: null, axis: { labelAngle: 0 } },
        y: { field: "ns", type: "quantitative", title: "ns a chunk" },
        color,
        shape: { ...color, scale: { domain, range: ["triangle-up", "square"] } },
      },
    },
    resolve: { scale: { x: "independent" } },
    config: {
      ...config,
      header: { labelFontSize: 13, labelFontWeight: "bold", labelColor: palette.ink },
      legend: { orient: "bottom", direction: "horizontal", labelFontSize: 13 },
    },
  } as unknown as TopLevelSpec;
  const svg = await renderSvg(spec, {
    id: "history",
    title: "native streams and pipeline by version",
    description: describeHistory(),
  });
  return `${schemeStyle(svg)}\n`;
}
