import type { BufferKind, HoseView } from "../hose/hose_view.ts";
import { formatCount } from "./format.ts";

/** What each buffer is called. */
export const bufferNames: Readonly<Record<BufferKind, string>> = {
  readerOut: "reader out",
  transformerIn: "transformer in",
  transformerOut: "transformer out",
  writerIn: "writer in",
};

/** The picture in words. */
export function describeHose({ buffers, read, written }: HoseView): string {
  const places = buffers.filter(({ mark }) => mark !== undefined).map(
    ({ kind, waiting, inHand, mark, desiredSize }) =>
      `${bufferNames[kind]}: ${waiting + inHand} of ${mark}, desiredSize ${desiredSize}`,
  );
  return `${places.join("; ")}. ${formatCount(read)} read, ${formatCount(written)} written.`;
}
