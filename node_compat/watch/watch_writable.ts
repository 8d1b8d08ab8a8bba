import type { Writable } from "node:stream";
import type { StageEvents } from "../../src/probe/stage_events.ts";
import { beginCall } from "./begin_call.ts";
import type { Callback, Inner } from "./inner.ts";
import { holdSlots, watchBuffer } from "./watch_buffer.ts";
import { watchEnd } from "./watch_end.ts";

/** Looks at what a `Writable` writes. */
export function watchWritable(stream: Writable, events: StageEvents): void {
  const inner = stream as unknown as Inner;
  const { _write: writeOne, _writev: writeMany, _final: final } = inner;
  const slots = { held: 0 };
  const watch = (
    chunks: readonly unknown[],
    callback: Callback,
    method: (callback: Callback) => void,
  ): void => {
    const calls = chunks.map((chunk) => {
      slots.held++;
      return beginCall(events, "write", chunk);
    });
    method((error) => {
      for (const call of calls) call.finish(error == null);
      slots.held = 0;
      callback(error);
    });
    for (const call of calls) call.returned();
  };
  inner._write = (chunk, encoding, callback) =>
    watch([chunk], callback, (done) => writeOne.call(stream, chunk, encoding, done));
  if (writeMany) {
    inner._writev = (chunks, callback) =>
      watch(
        chunks.map(({ chunk }) => chunk),
        callback,
        (done) => writeMany.call(stream, chunks, done),
      );
  }
  watchBuffer(stream, events, slots);
  watchFinal(stream, events, final);
}

function watchFinal(stream: Writable, events: StageEvents, final: Inner["_final"]): void {
  // To give a stream a `_final` it did not have would delay its end.
  if (final === undefined) {
    stream.prependOnceListener("finish", () => events.end("final"));
  } else {
    (stream as unknown as Inner)._final = (callback) =>
      final.call(stream, (error) => {
        if (error == null) events.end("final");
        callback(error);
      });
  }
  watchEnd(stream, events);
}

/** Looks at the buffer and the end of a `Writable` whose write function is looked at already. */
export function watchSinkStream(stream: Writable, events: StageEvents): void {
  events.record.isWriteOnly = false;
  const slots = { held: 0 };
  holdSlots(stream, slots);
  watchBuffer(stream, events, slots);
  watchFinal(stream, events, undefined);
}
