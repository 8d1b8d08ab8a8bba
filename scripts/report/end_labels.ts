import type { Range } from "./axes.ts";
import type { Panel, Point } from "./chart.ts";
import { palette } from "./palette.ts";
import { labelsHeight, placeLabels } from "./place_labels.ts";
import { markLabel } from "./render_svg.ts";

/** What the axis below a picture takes of its height, in pixels. */
const axisHeight = 48;
const fontSize = 11;
/** Between a line's end and its label's sign, and between that and its name. */
const [leader, gap] = [14, 8];

/** The last point of each line. */
function lastPoints({ points }: Panel): Point[] {
  return [...Map.groupBy(points, ({ api }) => api).values()].map((own) => own.at(-1)!);
}

/** The room right of the lines for their names, in pixels. */
export function endRoom(panel: Panel): number {
  const longest = Math.max(0, ...lastPoints(panel).map(({ api }) => api.length));
  return leader + gap + Math.ceil(longest * fontSize * 0.58);
}

/** How high a picture must be for all of its lines to have a label. */
export function heightForLabels(panel: Panel): number {
  return axisHeight + labelsHeight(lastPoints(panel).length);
}

/** The parts of a specification that labels share with the lines. */
export interface LabelContext {
  /** What the logarithmic axis of values shows, from its foot to its top. */
  readonly domain: Range;
  /** Of the whole picture, in pixels. */
  readonly height: number;
  readonly x: object;
  readonly y: object;
  readonly color: object;
  readonly stroke: object;
  readonly fill: object;
  readonly shape: object;
}

/** Layers that write each line's name at its end, with its sign, and a thin line between them. */
export function endLabels(
  panel: Panel,
  { domain: [low, high], height, x, y, color, stroke, fill, shape }: LabelContext,
): object[] {
  const ends = lastPoints(panel);
  const inner = height - axisHeight;
  const span = Math.log(high / low);
  const heights = ends.map(({ value }) => Math.log(value / low) / span * inner);
  const labels = placeLabels(heights, inner).map((placed, index) => ({
    ...ends[index]!,
    labelAt: low * Math.exp(placed / inner * span),
    label: markLabel(ends[index]!.api, ""),
  }));
  const data = { values: labels };
  const room = endRoom(panel);
  const at = (pixels: number) => ({ value: { expr: `width - ${room - pixels}` } });
  const description = { field: "label", type: "nominal" };
  const labelY = { ...y, field: "labelAt" };
  return [
    {
      data,
      mark: { type: "rule", strokeWidth: 1, opacity: 0.6 },
      encoding: { x, x2: at(leader), y, y2: { field: "labelAt" }, color, description },
    },
    {
      data,
      mark: { type: "point", strokeWidth: 1.5, size: 36, opacity: 1 },
      encoding: { x: at(leader), y: labelY, stroke, fill, shape, description },
    },
    {
      data,
      mark: { type: "text", align: "left", baseline: "middle", fontSize, fill: palette.ink },
      encoding: {
        ...{ x: at(leader + gap), y: labelY, description },
        text: { field: "api", type: "nominal" },
      },
    },
  ];
}
