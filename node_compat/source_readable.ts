import { Readable } from "node:stream";
import type { UnderlyingDefaultSource } from "../src/web_types.ts";
import { SourceSide } from "./source_side.ts";

/** Makes an object-mode `Readable` of an underlying source. */
export function sourceReadable(source: UnderlyingDefaultSource, highWaterMark: number): Readable {
  const stream: Readable = new Readable({
    objectMode: true,
    highWaterMark,
    read: () => side.read(),
    destroy: (error, callback) => side.destroy(error, callback),
  });
  const side = new SourceSide(stream, source);
  return stream;
}
