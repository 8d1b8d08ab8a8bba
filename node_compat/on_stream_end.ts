import { finished, type Readable, type Writable } from "node:stream";
import { toReason } from "./stage_error.ts";

/** Tells, once, how a side of `stream` came to its end; leaves no listener behind once the stream is closed. */
export function onStreamEnd(
  stream: Readable | Writable,
  side: { readable?: boolean; writable?: boolean },
  onEnd: (failure?: { reason: unknown }) => void,
): void {
  const forget = finished(stream, side, (error) => {
    onEnd(error == null ? undefined : { reason: toReason(error) });
    if (stream.closed) forget();
    // It listens on: an error that comes between the end and the close must not crash the process.
    else stream.once("close", () => queueMicrotask(forget));
  });
}
