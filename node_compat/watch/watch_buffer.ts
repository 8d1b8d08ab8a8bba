import type { Writable } from "node:stream";
import type { StageEvents } from "../../src/probe/stage_events.ts";
import { beginCall } from "./begin_call.ts";
import type { Callback, Inner } from "./inner.ts";

/** Looks at the buffer of a `Writable` and, if `tellsWrites`, at each of its writes. */
export function watchBuffer(stream: Writable, events: StageEvents, tellsWrites: boolean): void {
  const inner = stream as unknown as Inner;
  const { write, _write: writeOne, _writev: writeMany } = inner;
  const { record } = events;
  // Chunks that are taken in hand still hold their places in the buffer.
  let held = 0;
  const watch = (
    chunks: readonly unknown[],
    callback: Callback,
    method: (callback: Callback) => void,
  ): void => {
    const calls = chunks.flatMap((chunk) => {
      held++;
      return tellsWrites ? [beginCall(events, "write", chunk)] : [];
    });
    method((...result) => {
      for (const call of calls) call.finish(result[0] == null);
      held = 0;
      callback(...result);
    });
    for (const call of calls) call.returned();
  };
  inner._write = (chunk, encoding, callback) =>
    watch([chunk], callback, (done) => writeOne.call(stream, chunk, encoding, done));
  if (writeMany) {
    inner._writev = (chunks, callback) => {
      const values = chunks.map(({ chunk }) => chunk);
      watch(values, callback, (done) => writeMany.call(stream, chunks, done));
    };
  }
  record.measureIn = () => stream.writableLength - held;
  record.measureHand = () => held;
  record.inHighWaterMark = stream.writableHighWaterMark;
  if (record.kind !== "writer") return;
  inner.write = (...args) => {
    const wantsMore = write.apply(stream, args);
    if (!wantsMore) events.pause();
    return wantsMore;
  };
  stream.prependListener("drain", () => events.drain());
}
