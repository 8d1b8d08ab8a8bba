import type { Writable } from "node:stream";
import type { StageEvents } from "../../src/probe/stage_events.ts";
import type { Inner } from "./inner.ts";
import { watchBuffer } from "./watch_buffer.ts";
import { watchEnd } from "./watch_end.ts";

/** Looks at what a `Writable` writes; not at its writes where `tellsWrites` is false, as its function is looked at. */
export function watchWritable(stream: Writable, events: StageEvents, tellsWrites = true): void {
  const inner = stream as unknown as Inner;
  const { _final: final } = inner;
  watchBuffer(stream, events, tellsWrites);
  // To give a stream a `_final` it did not have would delay its end.
  if (final === undefined || !tellsWrites) {
    stream.prependOnceListener("finish", () => events.end("final"));
  } else {
    inner._final = (callback) =>
      final.call(stream, (error) => {
        if (error == null) events.end("final");
        callback(error);
      });
  }
  watchEnd(stream, events);
}
