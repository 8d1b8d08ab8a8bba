import { Duplex, type DuplexOptions, Readable, Transform, Writable } from "node:stream";
import type { Work } from "./work.ts";

type Callback = (error?: Error | null) => void;

/** Calls back when `work` is over, at once if it is. */
function answer(work: () => void | Promise<void>, callback: Callback): void {
  let result;
  try {
    result = work();
  } catch (error) {
    callback(error as Error);
    return;
  }
  if (result === undefined) callback();
  else result.then(() => callback(), callback);
}

/** A sink whose destroying waits for the write that runs. */
export function handWriter(work: Work, highWaterMark: number): Writable {
  let isWriting = false;
  let failure: Error | undefined;
  let whenFree: (() => void) | undefined;
  return new Writable({
    objectMode: true,
    highWaterMark,
    write(chunk, _encoding, callback) {
      // Node goes on with what is corked; a writer begins no other write.
      if (failure !== undefined) return callback(failure);
      isWriting = true;
      answer(() => work.on(chunk), (error) => {
        isWriting = false;
        failure = error ?? undefined;
        callback(error);
        whenFree?.();
      });
    },
    final: (callback) => callback(),
    destroy(error, callback) {
      if (isWriting) whenFree = () => callback(error);
      else callback(error);
    },
  });
}

/** A stage that passes on what it has worked on. */
export function handTransformer(work: Work, highWaterMark: number): Transform {
  return new Transform({
    objectMode: true,
    highWaterMark,
    transform(chunk, _encoding, callback) {
      answer(() => work.on(chunk, () => void this.push(chunk)), callback);
    },
  });
}

/** The methods that write to a Web stream when it has room, and fail with it. */
function webMethods(writable: WritableStream) {
  const writer = writable.getWriter();
  let waiting: Callback | undefined;
  const stop = (error: Error): void => {
    const callback = waiting;
    waiting = undefined;
    callback?.(error);
  };
  return {
    listen: (stream: Writable) =>
      void writer.closed.catch((error) => {
        stop(error);
        stream.destroy(error);
      }),
    write(chunk: unknown, _encoding: unknown, callback: Callback) {
      const write = (): void => {
        writer.write(chunk).catch(() => {});
        callback();
      };
      if (writer.desiredSize! > 0) return write();
      waiting = callback;
      writer.ready.then(() => {
        if (waiting === undefined) return;
        waiting = undefined;
        write();
      }, () => {});
    },
    final: (callback: Callback) => void writer.close().then(() => callback(), callback),
    destroy(error: Error | null, callback: Callback) {
      const dropped = Object.assign(new Error("dropped"), { code: "ERR_STREAM_DESTROYED" });
      const aborted = writer.abort(error ?? undefined);
      stop(error ?? dropped);
      aborted.then(() => callback(error), (failure) => callback(error ?? failure));
    },
  };
}

/** What `toNode` makes of a `WritableStream`. */
export function handWritable(writable: WritableStream, highWaterMark: number): Writable {
  const { listen, ...methods } = webMethods(writable);
  const stream = new Writable({ objectMode: true, highWaterMark, ...methods });
  listen(stream);
  return stream;
}

/** What `toNode` makes of a `ReadableStream`. */
export function handReadable(readable: ReadableStream, highWaterMark: number): Readable {
  const reader = readable.getReader();
  return new Readable({
    objectMode: true,
    highWaterMark,
    read() {
      reader.read().then(({ done, value }) => {
        if (!this.destroyed) this.push(done ? null : value);
      }, (error) => this.destroy(error));
    },
    destroy(error, callback) {
      if (this.readableEnded) return callback(error);
      reader.cancel(error ?? undefined).then(
        () => callback(error),
        (failure) => callback(error ?? failure),
      );
    },
  });
}

/** What `toNode` makes of a pair. */
export function handPair(
  { readable, writable }: { readable: ReadableStream; writable: WritableStream },
  highWaterMark: number,
): Duplex {
  const { listen, destroy, ...methods } = webMethods(writable);
  const reader = readable.getReader();
  const options: DuplexOptions = {
    objectMode: true,
    highWaterMark,
    ...methods,
    read() {
      reader.read().then(({ done, value }) => {
        if (!this.destroyed) this.push(done ? null : value);
      }, () => {});
    },
    destroy(error, callback) {
      reader.cancel(error ?? undefined).catch(() => {});
      destroy(error, callback);
    },
  };
  const stream = new Duplex(options);
  listen(stream);
  return stream;
}
