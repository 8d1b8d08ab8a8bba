import { checkFunction, throwTypeError } from "../errors.ts";
import { checkNodeReason, checkNodeStrategy, nodeMark } from "./end_settings.ts";
import type { HeldSink } from "./held_sink.ts";
import { iteratorOpener } from "./iterator_opener.ts";
import { printChunk } from "./print_chunk.ts";
import type { NodeWritableClass, TestSinkOptions } from "./test_end_types.ts";

/** What happens where it ends. */
export type SinkEnds = Pick<TestSinkOptions<never>, "close" | "abort">;

/** The held sink as a Web stream. */
export function openWritable<T>(sink: HeldSink<T>, { close, abort }: SinkEnds): WritableStream<T> {
  let controller!: WritableStreamDefaultController;
  const stream = new WritableStream<T>({
    start: (given) => {
      controller = given;
      // The standard aborts only once the write in flight has settled.
      given.signal?.addEventListener("abort", () => sink.drop(given.signal.reason), { once: true });
    },
    write: (chunk) => sink.write(chunk),
    close: () => sink.close(close),
    abort: async (reason) => {
      sink.end("aborted", reason);
      await abort?.(reason);
    },
  }, sink.settings.strategy);
  sink.open({ name: "a WritableStream", fail: (reason) => controller.error(reason) });
  return stream;
}

/** The held sink as a reader of a stream or an iterable. */
export function readWithSink<T>(
  sink: HeldSink<T>,
  source: unknown,
  { close, abort }: SinkEnds,
): void {
  const openIterator = iteratorOpener<T>("read", "source", source);
  let iterator: AsyncIterator<T> | Iterator<T> | undefined;
  const open = () => iterator ??= openIterator();
  let isReading = false;
  const problem = (error: unknown) => sink.expectations.note(`failed with ${printChunk(error)}`);
  const read = async () => {
    if (isReading) return;
    isReading = true;
    while (sink.state === "open" && sink.requested > 0) {
      let result: IteratorResult<T>;
      try {
        result = await open().next();
      } catch (reason) {
        if (sink.state !== "open") break;
        sink.end("aborted", reason);
        await Promise.resolve(reason).then(abort).catch(problem);
        break;
      }
      if (sink.state !== "open") break;
      if (result.done) await sink.close(close).catch(problem);
      else sink.write(result.value);
    }
    isReading = false;
  };
  sink.open({
    name: "a reader",
    request: () => void read(),
    fail: (reason) => {
      try {
        Promise.resolve(open().return?.(reason)).catch(problem);
      } catch (error) {
        problem(error);
      }
    },
  });
}

/** The held sink as a Node stream. */
export function openNodeWritable<T, S>(
  sink: HeldSink<T>,
  Writable: NodeWritableClass<S>,
  { close, abort }: SinkEnds,
): S {
  const action = "open test sink as a Node stream";
  checkFunction(action, "Writable", Writable);
  checkNodeStrategy(action, sink.settings);
  const stream = new Writable({
    objectMode: true,
    highWaterMark: nodeMark(sink.settings.highWaterMark),
    write: (chunk, _encoding, callback) => {
      const written = sink.write(chunk);
      if (written === undefined) callback();
      else written.then(() => callback(), callback);
    },
    final: (callback) => {
      sink.close(close).then(() => callback(), callback);
    },
    destroy: (error, callback) => {
      if (sink.state !== "open") return callback(error);
      const reason = error ?? undefined;
      sink.end("aborted", reason);
      sink.drop(reason);
      Promise.resolve(reason).then(abort).then(
        () => callback(error),
        (failure) => callback(error ?? failure),
      );
    },
  });
  const { destroy } = stream as { destroy(error: Error): unknown };
  if (typeof destroy !== "function") {
    throwTypeError(action, "Writable", "Node's Writable", Writable);
  }
  sink.open({
    name: "a Writable of Node",
    checkReason: (reason) => checkNodeReason("fail", reason),
    fail: (reason) => void destroy.call(stream, reason as Error),
  });
  return stream;
}
