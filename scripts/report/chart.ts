import type { ResultFile, Row } from "../../bench/results/result.ts";
import type { SeriesStyle } from "./series_styles.ts";

/** One value of a contestant in a panel. */
export interface Point {
  readonly api: string;
  /** Where it stands: a number, or one of the panel's categories. */
  readonly at: number | string;
  readonly value: number;
  /** The quartiles; both the value itself if there are none. */
  readonly low: number;
  readonly high: number;
  /** What it says on being pointed at, such as `12.3 ms (12.1 ms to 12.9 ms)`. */
  readonly text: string;
}

/** One picture: a runtime under one set of circumstances. */
export interface Panel {
  /** What the runtime filter goes by; empty if it concerns none in particular. */
  readonly runtime: string;
  /** The API that all of it is about, if it is one. */
  readonly api?: string;
  /** Such as `deno 2.9.6`. */
  readonly heading: string;
  readonly points: readonly Point[];
  /** Values that are no contestant's, such as a bound, by category. */
  readonly marks?: readonly Mark[];
  readonly table: Table;
}

/** A value beside which others are seen. */
export interface Mark {
  /** What it says on being pointed at, such as `bound: 12.3 s`. */
  readonly text: string;
  readonly at: string;
  readonly value: number;
}

/** A table beside a picture: contestants down, and few columns, so that it never has to scroll. */
export interface Table {
  /** The columns' titles, but for that of the contestants. */
  readonly head: readonly string[];
  readonly groups: readonly TableGroup[];
}

/** Lines of a table that have something in common. */
export interface TableGroup {
  /** Such as `do-nothing stages: 10`; empty if there is one group only. */
  readonly heading: string;
  readonly rows: readonly TableRow[];
}

/** A line of a table. */
export interface TableRow {
  readonly api: string;
  readonly cells: readonly Cell[];
}

/** A cell: what counts, and in a smaller type what else is to be said. */
export interface Cell {
  readonly text: string;
  readonly details?: readonly string[];
}

/** Panels with the same parameters, and scales, in every runtime. */
export interface PanelGroup {
  /** Such as `highWaterMark=low`; empty if there is one group only. */
  readonly heading: string;
  readonly panels: readonly Panel[];
}

/** One of several states of a chart, between which its reader chooses. */
export interface Variant {
  /** Such as `amount=1GiB kind=bytes`; empty if there is nothing to choose. */
  readonly name: string;
  readonly groups: readonly PanelGroup[];
}

/** How an axis counts. */
export interface Axis {
  readonly title: string;
  readonly scale: "linear" | "log" | "symlog" | "category";
  readonly unit?: "s" | "";
  /** Categories from top to bottom, or where the ticks stand. */
  readonly values?: readonly (string | number)[];
}

/** A chart of the report: pictures, tables and where they come from. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** `lines`: values rise, positions go to the right. `dots`: the other way round. */
  readonly kind: "lines" | "steps" | "dots";
  readonly position: Axis;
  readonly value: Axis;
  /** In the order they are listed. */
  readonly apis: readonly string[];
  /** Contestants that were measured and are not shown; default: none. */
  readonly left?: readonly string[];
  /** How they are drawn; default: as {@linkcode seriesStyles} has it. */
  readonly styles?: ReadonlyMap<string, SeriesStyle>;
  readonly variants: readonly Variant[];
  /** Rows that are errors. */
  readonly failures: readonly Row[];
  /** How to get the numbers again. */
  readonly command: string;
  /** Where they come from; undefined if from this very run. */
  readonly source?: ResultFile;
}
