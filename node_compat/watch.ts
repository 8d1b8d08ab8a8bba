import type { Readable, Transform, Writable } from "node:stream";
import type { StageEvents } from "../src/inspect/stage_events.ts";
import { toReason } from "../src/source/stage_error.ts";

/** What node calls back with. */
type Callback = (error?: Error | null, value?: unknown) => void;
type Push = (chunk: unknown, encoding?: BufferEncoding) => boolean;

/** What a stream calls by itself; own properties of the same names take precedence. */
interface Inner {
  push: Push;
  write(...args: unknown[]): boolean;
  _read(size: number): void;
  _write(chunk: unknown, encoding: BufferEncoding, callback: Callback): void;
  _writev?: ((chunks: { chunk: unknown }[], callback: Callback) => void) | null;
  _transform(chunk: unknown, encoding: BufferEncoding, callback: Callback): void;
  _final?: (callback: Callback) => void;
  _flush?: (callback: Callback) => void;
}

/** Runs a method that ends by a callback, perhaps at once: then `calls`, which have begun, are over. */
function watchCalls(
  events: StageEvents,
  calls: readonly ReturnType<StageEvents["beginCall"]>[],
  callback: Callback,
  method: (callback: Callback) => void,
): void {
  let isOver = false;
  method((...result) => {
    isOver = true;
    for (const call of calls) events.endCall(call, result[0] == null);
    callback(...result);
  });
  if (isOver) return;
  for (const call of calls) events.prolong(call);
}

/** Looks at the buffer of a `Writable` and, if `tellsWrites`, at each of its writes. */
function watchBuffer(stream: Writable, events: StageEvents, tellsWrites: boolean): void {
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
      return tellsWrites ? [events.beginCall("write", chunk)] : [];
    });
    const finish: Callback = (...result) => {
      held = 0;
      callback(...result);
    };
    watchCalls(events, calls, finish, method);
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

/** Lets `events` hear how a stream fails or is given up; the order of its own listeners stays as it is. */
function watchEnd(stream: Readable | Writable, events: StageEvents): void {
  const { _destroy: destroy } = stream;
  stream._destroy = function (error: Error | null, callback: Callback): void {
    if (error === null) events.fail("cancel", undefined);
    else events.fail("error", toReason(error));
    destroy.call(stream, error, callback);
  };
}

/** Looks at the chunks that a stream puts in its outgoing buffer. */
function watchPush(stream: Readable, events: StageEvents): void {
  const inner = stream as unknown as Inner;
  const { push } = inner;
  inner.push = (chunk, encoding) => {
    if (chunk === null) return push.call(stream, chunk, encoding);
    const index = events.beforeEnqueue(chunk);
    const wantsMore = push.call(stream, chunk, encoding);
    events.afterEnqueue(
      index,
      chunk,
      stream.readableHighWaterMark - stream.readableLength,
      wantsMore,
    );
    return wantsMore;
  };
  // What a destroyed one still has goes nowhere.
  events.record.measureOut = () => stream.destroyed ? 0 : stream.readableLength;
  events.record.outHighWaterMark = stream.readableHighWaterMark;
}

/** Looks at what a `Readable` pushes. */
export function watchReadable(stream: Readable, events: StageEvents): void {
  const inner = stream as unknown as Inner;
  const { _read: read } = inner;
  inner._read = (size) => {
    events.drain();
    events.ask(() => read.call(stream, size));
  };
  watchPush(stream, events);
  const { push } = inner;
  inner.push = (chunk, encoding) => {
    if (chunk === null) events.end("end");
    return push(chunk, encoding);
  };
  watchEnd(stream, events);
}

/** Looks at what a `Transform` takes and gives. */
export function watchTransform(stream: Transform, events: StageEvents): void {
  const inner = stream as unknown as Inner;
  const { _transform: transform, _flush: flush, _read: read } = inner;
  watchBuffer(stream, events, false);
  inner._transform = (chunk, encoding, callback) => {
    const calls = [events.beginCall("transform", chunk)];
    watchCalls(events, calls, callback, (done) => {
      transform.call(stream, chunk, encoding, (error, value) => {
        // A value given with the callback is pushed after it: until then the chunk is in the transformer's hands.
        if (error == null && value !== undefined && value !== null) stream.push(value);
        done(error);
      });
    });
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
