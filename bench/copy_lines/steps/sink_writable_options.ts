import type { WritableOptions } from "node:stream";
import type { LineSink } from "./open_line_sink.ts";

/** Makes a line sink the options of a `Writable` of `node:stream` or of one of its kin. */
export function sinkWritableOptions(sink: LineSink): WritableOptions {
  return {
    objectMode: true,
    write(line, _encoding, callback) {
      const written = sink.write(line);
      if (written === undefined) callback();
      else written.then(() => callback(), callback);
    },
    final: (callback) => void sink.close().then(() => callback(), callback),
    destroy: (error, callback) =>
      void sink.abort().then(() => callback(error), (abortError) => callback(error ?? abortError)),
  };
}
