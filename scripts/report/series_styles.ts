import { palette } from "./palette.ts";

/** How a contestant is drawn: shape and dash differ too, so that colour is never needed. */
export interface SeriesStyle {
  readonly colour: string;
  /** What the shape is filled with: the colour, or nothing. */
  readonly fill: string;
  readonly shape: "circle" | "square" | "triangle-up" | "triangle-down" | "diamond" | "cross";
  readonly dash: readonly number[];
}

interface Family {
  readonly colour: string;
  readonly shape: SeriesStyle["shape"];
  /** Contestants with a dash of their own, by their place here. */
  readonly names: readonly string[];
  /** The others that belong to it. */
  readonly others?: RegExp;
}

const dashes = [
  ...[[1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [4, 2]],
  ...[[12, 3], [1, 3], [9, 3, 2, 3, 2, 3], [3, 6], [12, 3, 6, 3], [1, 1], [6, 1]],
];

const families: readonly Family[] = [
  {
    ...{ colour: palette.ink, shape: "circle" },
    ...{ names: ["hand", "generators", "noop"], others: /^hand/ },
  },
  {
    ...{ colour: palette.blue, shape: "square" },
    ...{
      names: ["pipeline", "fuse", "pipeline-raw"],
      others: /^(pipeline|fuse|hosepipe)/,
    },
  },
  {
    ...{ colour: palette.vermillion, shape: "triangle-up" },
    ...{ names: ["web", "web_bytes", "std"], others: /^web/ },
  },
  {
    ...{ colour: palette.green, shape: "diamond" },
    ...{ names: ["node", "readable-stream", "through2", "stream_iter"], others: /^node/ },
  },
  {
    ...{ colour: palette.purple, shape: "triangle-down" },
    ...{ names: ["pull-stream"], others: /^pull/ },
  },
  {
    ...{ colour: palette.orange, shape: "cross" },
    ...{ names: ["fast-webstreams"] },
  },
];

/** Which family a contestant without a place of its own joins: by its name, or in turn. */
function familyOf(name: string, turn: number): Family {
  const open = families.filter(({ colour }) => colour !== palette.blue).toReversed();
  return families.find(({ others }) => others?.test(name)) ?? open[turn % open.length]!;
}

/** Gives every contestant its style; well-known ones have the same in every chart. */
export function seriesStyles(contestants: readonly string[]): Map<string, SeriesStyle> {
  const members = new Map(families.map((family) => [family, [...family.names]]));
  const known = new Set(families.flatMap(({ names }) => names));
  const strangers = [...new Set(contestants)].filter((name) => !known.has(name)).sort();
  for (const [turn, name] of strangers.entries()) members.get(familyOf(name, turn))!.push(name);

  const styles = new Map<string, SeriesStyle>();
  for (const [{ colour, shape }, names] of members) {
    for (const [index, name] of names.entries()) {
      if (!contestants.includes(name)) continue;
      const fill = index % 2 === 0 ? colour : palette.paper;
      styles.set(name, { colour, fill, shape, dash: dashes[index % dashes.length]! });
    }
  }
  return styles;
}
