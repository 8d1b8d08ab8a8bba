import type { Transform } from "node:stream";
import type { StageEvents } from "../../src/probe/stage_events.ts";
import { beginCall } from "./begin_call.ts";
import type { Callback, Inner } from "./inner.ts";
import { watchBuffer } from "./watch_buffer.ts";
import { watchEnd } from "./watch_end.ts";
import { watchPush } from "./watch_push.ts";

/** Looks at what a `Transform` takes and gives. */
export function watchTransform(stream: Transform, events: StageEvents): void {
  const inner = stream as unknown as Inner;
  const { _transform: transform, _flush: flush, _read: read } = inner;
  watchBuffer(stream, events, false);
  inner._transform = (chunk, encoding, callback) => {
    const call = beginCall(events, "transform", chunk);
    transform.call(stream, chunk, encoding, (error, value) => {
      // A value given with the callback is pushed after it: until then the chunk is in the transformer's hands.
      if (error == null && value !== undefined && value !== null) stream.push(value);
      call.finish(error == null);
      callback(error);
    });
    call.returned();
  };
  inner._flush = (callback) => {
    const end: Callback = (error, value) => {
      if (error == null) events.end("final");
      callback(error, value);
    };
    if (flush === undefined) end();
    else events.work(() => flush.call(stream, end));
  };
  inner._read = (size) => {
    events.drain();
    read.call(stream, size);
  };
  watchPush(stream, events);
  watchEnd(stream, events);
}
