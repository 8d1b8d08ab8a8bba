import type { Range } from "./axes.ts";
import type { Chart, Panel, Point, TableRow, Variant } from "./chart.ts";
import { escapeHtml, Html } from "./html.ts";
import { panelSpec } from "./panel_spec.ts";
import { schemeColours } from "./palette.ts";
import { renderSvg } from "./render_svg.ts";
import type { SeriesStyle } from "./series_styles.ts";

/** What all panels of a variant must show, so that their heights can be compared. */
function rangeOf({ groups }: Variant): Range {
  const panels = groups.flatMap(({ panels }) => panels);
  const values = [
    ...panels.flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high])),
    ...panels.flatMap(({ marks = [] }) => marks.map(({ value }) => value)),
  ];
  // A value of 0 has no place on a logarithmic scale.
  const shown = values.filter((value) => value > 0);
  return shown.length === 0 ? [1, 10] : [Math.min(...shown), Math.max(...shown)];
}

/** Says what a picture of steps shows, which has too many values to tell. */
function describeSteps({ table: { head, groups } }: Panel): string {
  const say = ({ api, cells }: TableRow) =>
    `${api}: ${cells.map(({ text }, index) => `${head[index]} ${text}`).join(", ")}.`;
  return groups.flatMap(({ rows }) => rows.map(say)).join(" ");
}

/** Says what a picture shows: of each contestant the first value and the last. */
function describe({ kind, position }: Chart, panel: Panel): string {
  const { points } = panel;
  if (points.length === 0) return "Nothing was measured.";
  if (kind === "steps") return describeSteps(panel);
  const series = [...Map.groupBy(points, ({ api }) => api)];
  if (kind === "dots") {
    return series.map(([api, own]) => `${api}: ${own.map(({ text }) => text).join("; ")}.`)
      .join(" ");
  }
  const say = ({ at, text }: Point) => `${text} at ${at}`;
  const sentences = series.map(([api, own]) =>
    `${api}: ${(own.length === 1 ? own : [own[0]!, own.at(-1)!]).map(say).join(", then ")}.`
  );
  return `Along ${position.title}. ${sentences.join(" ")}`;
}

/** Leaves away the categories that nothing in this variant is about. */
function onlyUsed(chart: Chart, { groups }: Variant): Chart {
  const { position } = chart;
  if (position.scale !== "category") return chart;
  const used = new Set<string | number>(
    groups.flatMap(({ panels }) =>
      panels.flatMap(({ points, table, marks = [] }) => [
        ...points.map(({ at }) => at),
        ...marks.map(({ at }) => at),
        ...table.groups.flatMap(({ rows }) => rows.map(({ api }) => api)),
      ])
    ),
  );
  const values = position.values?.filter((value) => used.has(value));
  return { ...chart, position: { ...position, values } };
}

function follow(svg: string): string {
  return Object.entries(schemeColours).reduce(
    (text, [colour, variable]) => text.replaceAll(`"${colour}"`, `"${variable}"`),
    svg,
  );
}

/** Draws the panels of a variant, in the order they are listed. */
export async function drawVariant(
  chart: Chart,
  variant: Variant,
  id: string,
  styles: ReadonlyMap<string, SeriesStyle>,
): Promise<Map<Panel, Html>> {
  const range = rangeOf(variant);
  const drawn = onlyUsed(chart, variant);
  const pictures = new Map<Panel, Html>();
  for (const { heading, panels } of variant.groups) {
    for (const panel of panels) {
      const svg = await renderSvg(panelSpec(drawn, panel, range, styles), {
        id: `${id}-${pictures.size}`,
        title: [chart.title, variant.name, heading, panel.heading].filter(Boolean).join(", "),
        description: describe(chart, panel),
      });
      pictures.set(panel, new Html(follow(svg)));
    }
  }
  return pictures;
}

/** The sign of a contestant in a legend: its line and its shape. */
export function swatch({ colour, fill, shape, dash }: SeriesStyle, kind: Chart["kind"]): Html {
  const paths: Record<SeriesStyle["shape"], string> = {
    circle: "M12,6m-4,0a4,4,0,1,0,8,0a4,4,0,1,0,-8,0",
    square: "M8.5,2.5h7v7h-7Z",
    "triangle-up": "M12,2L16.5,10H7.5Z",
    "triangle-down": "M12,10L16.5,2H7.5Z",
    diamond: "M12,1L16,6L12,11L8,6Z",
    cross: "M10.5,2h3v2.5H16v3h-2.5V10h-3V7.5H8v-3h2.5Z",
  };
  const paint = escapeHtml(schemeColours[colour] ?? colour);
  const filling = escapeHtml(schemeColours[fill] ?? fill);
  const line = kind === "dots"
    ? ""
    : `<path d="M0,6H24" stroke="${paint}" stroke-width="2" stroke-dasharray="${dash.join()}"/>`;
  const point = kind === "steps"
    ? ""
    : `<path d="${paths[shape]}" fill="${filling}" stroke="${paint}" stroke-width="1.5"/>`;
  return new Html(
    `<svg class="swatch" viewBox="0 0 24 12" aria-hidden="true">${line}${point}</svg>`,
  );
}
