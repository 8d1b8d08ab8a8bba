import type { Demo } from "../demos.ts";
import type { DemoEvent, DemoListener } from "../demo_event.ts";
import type { Style } from "./style.ts";

/** Where output goes and how it may look. */
export interface RenderTarget {
  write(text: string): void;
  readonly style: Style;
  /** The width to keep to, in characters; default: none. */
  readonly columns?: number;
}

/** Shows a demo. */
export interface Renderer extends DemoListener {
  /** Says what is left to say. */
  end(): void;
}

/** Up to so many slots are drawn one by one. */
const mostSlots = 8;

/**
 * A buffer as slots up to its mark, such as `[■■▣□]`: full, full, the place of a message that is being processed, and
 * room. What is beyond the mark is counted: `[■■■■]+3`. Above eight, a slot stands for a part: `[■■□□□□□□]4/16`.
 */
export function drawBuffer(count: number, held: number, highWaterMark: number): string {
  const slots = Math.min(highWaterMark, mostSlots);
  const scale = highWaterMark > mostSlots ? mostSlots / highWaterMark : 1;
  const full = Math.min(slots, Math.ceil(count * scale));
  const kept = Math.min(slots - full, scale === 1 ? held : 0);
  const picture = "■".repeat(full) + "▣".repeat(kept) + "□".repeat(slots - full - kept);
  if (scale < 1) return `[${picture}]${count}/${highWaterMark}`;
  return `[${picture}]${count > highWaterMark ? `+${count - highWaterMark}` : ""}`;
}

/** Colours what `drawBuffer` has drawn, wherever it stands in a line. */
export function paintBuffers(line: string, style: Style): string {
  return line.replace(/■+/g, (slots) => style("full", slots))
    .replace(/\]\+\d+/g, (over) => `]${style("over", over.slice(1))}`);
}

/** The four buffers, in the order of the hose. */
export const bufferNames = ["readerOut", "transformerIn", "transformerOut", "writerIn"] as const;

/** What of a demo decides how its hose is drawn. */
export type HoseShape = Pick<
  Demo,
  "highWaterMark" | "concurrency" | "writer" | "messages" | "number" | "title"
>;

/** The four buffers after an event, each as slots. */
export function drawHose(
  { occupancy, hose }: Pick<DemoEvent, "occupancy" | "hose">,
  { highWaterMark, concurrency }: HoseShape,
): string[] {
  // A transform or write keeps the place of its message; writes that overlap have none to keep.
  const writing = concurrency === 1 ? occupancy.writing : 0;
  const transforming = hose.transformer.length;
  return [
    drawBuffer(occupancy.readerOut, 0, highWaterMark),
    drawBuffer(occupancy.transformerIn - transforming, transforming, highWaterMark),
    drawBuffer(occupancy.transformerOut, 0, highWaterMark),
    drawBuffer(occupancy.writerIn, writing, highWaterMark),
  ];
}
