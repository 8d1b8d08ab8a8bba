import type { Style } from "./style.ts";

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
