import type { Demo } from "../demos.ts";
import type { DemoEvent } from "../demo_event.ts";
import { drawBuffer } from "./draw_buffer.ts";

/** The four buffers, in the order of the hose. */
export const bufferNames = ["readerOut", "transformerIn", "transformerOut", "writerIn"] as const;

/** The name of a buffer. */
export type BufferName = (typeof bufferNames)[number];

/** What of a demo decides how its hose is drawn. */
export type HoseShape = Pick<
  Demo,
  "highWaterMark" | "concurrency" | "writer" | "messages" | "number" | "title"
>;

/** The four buffers after an event, each as slots. */
export function drawHose(
  { occupancy, hose }: Pick<DemoEvent, "occupancy" | "hose">,
  { highWaterMark, concurrency }: HoseShape,
): Readonly<Record<BufferName, string>> {
  // A transform or write keeps the place of its message; writes that overlap have none to keep.
  const writing = concurrency === 1 ? occupancy.writing : 0;
  const transforming = hose.transformer.length;
  return {
    readerOut: drawBuffer(occupancy.readerOut, 0, highWaterMark),
    transformerIn: drawBuffer(occupancy.transformerIn - transforming, transforming, highWaterMark),
    transformerOut: drawBuffer(occupancy.transformerOut, 0, highWaterMark),
    writerIn: drawBuffer(occupancy.writerIn, writing, highWaterMark),
  };
}
