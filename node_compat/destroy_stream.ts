import type { Readable, Writable } from "node:stream";
import { toReason } from "./stage_error.ts";

type States = Record<"_readableState" | "_writableState", { emitClose?: boolean } | undefined>;

/** Destroys `stream` and waits until it is closed; fails if the clean-up does. */
export function destroyStream(stream: Readable | Writable, error?: Error): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.closed ?? stream.destroyed) return resolve();
    const onError = (failure: unknown): void => {
      if (failure !== error) reject(toReason(failure));
    };
    stream.on("error", onError).once("close", () => {
      stream.off("error", onError);
      resolve();
    });
    stream.destroy(error);
    const { _readableState: readState, _writableState: writeState } = stream as unknown as States;
    // A stream made with `emitClose: false` never tells that it is closed.
    if ((readState ?? writeState)?.emitClose === false) resolve();
  });
}
