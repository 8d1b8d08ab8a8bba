import type { IterableOpener } from "../iterable_opener.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { ProbedController } from "./probed_controller.ts";
import { nowhere } from "./recorder.ts";
import type { StageEvents } from "./stage_events.ts";
import type { UnderlyingByteSource } from "../web_types.ts";

type AnySource = UnderlyingSource<unknown>;
type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

/** Wraps the dictionary that `new ReadableStream()` takes. */
export function probeUnderlyingSource(source: AnySource, events: StageEvents): AnySource {
  const { start, pull, cancel, type, autoAllocateChunkSize } = source as UnderlyingByteSource;
  const { record } = events;
  record.pushes = pull === undefined;
  let controller: ProbedController | undefined;
  const wrapped: Record<string, unknown> = {
    start(real: ReadableByteStreamController): unknown {
      if (controller !== undefined) {
        throw new TypeError("Cannot start: a probed reader serves one stream, wrap it again");
      }
      record.gauge.open(real);
      controller = new ProbedController(real, events);
      return events.work(() => start?.call(source as never, controller as never));
    },
    cancel(reason: unknown): unknown {
      events.fail("cancel", reason);
      return cancel?.call(source as never, reason);
    },
  };
  if (pull !== undefined) {
    const callPull = () => pull.call(source as never, controller as never);
    wrapped.pull = (): unknown => {
      record.askedIndex = events.drain();
      try {
        return events.ask(callPull);
      } finally {
        record.askedIndex = nowhere;
      }
    };
  }
  if (type !== undefined) wrapped.type = type;
  if (autoAllocateChunkSize !== undefined) wrapped.autoAllocateChunkSize = autoAllocateChunkSize;
  return wrapped as AnySource;
}

function give(value: unknown, events: StageEvents): unknown {
  // `pipeline` waits for promises of an iterable: the chunk is read when it is there.
  if (isPromiseLike(value)) {
    return events.work(() => Promise.resolve(value).then((chunk) => give(chunk, events)));
  }
  events.read(value);
  return value;
}

function probeIterator(iterator: AnyIterator, events: StageEvents): AnyIterator {
  const accept = (result: IteratorResult<unknown>): IteratorResult<unknown> => {
    if (result.done) events.end("end");
    return result.done ? result : { done: false, value: give(result.value, events) };
  };
  return {
    next: () =>
      events.ask(() => {
        const result = iterator.next();
        return isPromiseLike(result)
          ? (result as Promise<IteratorResult<unknown>>).then(accept)
          : accept(result as IteratorResult<unknown>);
      }),
    return: (reason?: unknown) => {
      events.fail("cancel", reason);
      return iterator.return?.(reason) ?? { done: true, value: undefined };
    },
  } as AnyIterator;
}

/** Wraps an iterable or async iterable, for `pipeline` and `reader`. */
export function probeIterable(
  { isAsync, open }: IterableOpener<unknown>,
  events: StageEvents,
): Iterable<unknown> | AsyncIterable<unknown> {
  let isOpen = false;
  const iterate = (): AnyIterator => {
    if (isOpen) throw new TypeError("Cannot iterate: a probed reader is read once, wrap it again");
    isOpen = true;
    return probeIterator(open(), events);
  };
  const method = isAsync ? Symbol.asyncIterator : Symbol.iterator;
  return { [method]: iterate } as unknown as Iterable<unknown>;
}

/** Wraps a function that answers batches, for `reader`. */
export function probeBatches(
  source: (...args: unknown[]) => unknown,
  events: StageEvents,
): (...args: unknown[]) => unknown {
  const accept = (batch: unknown): unknown => {
    if (batch === null || batch === undefined) events.end("end");
    if (typeof (batch as Iterable<unknown> | undefined)?.[Symbol.iterator] !== "function") {
      return batch;
    }
    if (typeof batch === "string" || ArrayBuffer.isView(batch)) return batch;
    return [...batch as Iterable<unknown>].map((chunk) => give(chunk, events));
  };
  return (...args) =>
    events.ask(() => {
      const batch = source(...args);
      return isPromiseLike(batch) ? Promise.resolve(batch).then(accept) : accept(batch);
    });
}
