import { Writable } from "node:stream";
import type { UnderlyingSink } from "../src/web_types.ts";
import { SinkSide } from "./sink_side.ts";
import { toError } from "./stage_error.ts";

/** Makes an object-mode `Writable` of an underlying sink, which is aborted once its write has settled, or at once. */
export function sinkWritable(
  sink: UnderlyingSink,
  highWaterMark: number,
  abortsAtOnce = false,
): Writable {
  const stream: Writable = new Writable({
    objectMode: true,
    highWaterMark,
    write: (chunk, _encoding, callback) => side.write(chunk, callback),
    final: (callback) => side.close(callback),
    destroy: (error, callback) => side.destroy(error, callback),
  });
  const side = new SinkSide(sink, (reason) => stream.destroy(toError(reason)), abortsAtOnce);
  side.start();
  return stream;
}
