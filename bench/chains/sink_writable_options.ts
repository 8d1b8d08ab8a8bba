import type { WritableOptions } from "node:stream";
import type { ChainJob } from "./job.ts";

/** Makes a writer of chunks the options of a `Writable` of `node:stream` or of one of its kin. */
export function sinkWritableOptions({ write }: ChainJob): WritableOptions {
  return {
    objectMode: true,
    write(chunk, _encoding, callback) {
      let written: void | Promise<void>;
      try {
        written = write(chunk);
      } catch (error) {
        return callback(error as Error);
      }
      if (written) written.then(() => callback(), callback);
      else callback();
    },
  };
}
