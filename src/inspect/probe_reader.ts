import { isWithBody, isWithStream } from "../body_of.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { findSource, type FoundSource, isStream } from "../source/find_source.ts";
import { probeBatch, probeIterator } from "./probe_iterator.ts";
import { ProbedByteController, ProbedSourceController } from "./probed_controller.ts";
import { probeBody, probeStream } from "./probe_stream.ts";
import { nowhere } from "./recorder.ts";
import type { StageEvents } from "./stage_events.ts";
import { mapPromise } from "./watch_promise.ts";
import type { UnderlyingByteSource } from "../web_types.ts";

type AnySource = UnderlyingSource<unknown>;

/** Wraps a source: what it is, it stays. */
export function probeSource(source: unknown, events: StageEvents): unknown {
  if (typeof source === "function") return probeBatches(source as never, events);
  if (isStream(source)) return probeStream(source, events);
  const body = Object(source);
  if (isWithBody(body) || isWithStream(body)) return probeBody(body, events);
  const found = findSource("probe", source, "source");
  if (found === undefined) return probeUnderlyingSource(source as AnySource, events);
  return probeIterable(found, events);
}

/** Wraps the dictionary that `new ReadableStream()` takes. */
function probeUnderlyingSource(source: AnySource, events: StageEvents): AnySource {
  const { start, pull, cancel, type, autoAllocateChunkSize } = source as UnderlyingByteSource;
  const { record } = events;
  record.pushes = pull === undefined;
  let controller: ProbedSourceController | undefined;
  const wrapped: Record<string, unknown> = {
    start(real: ReadableByteStreamController): unknown {
      events.open(real);
      controller = type === "bytes"
        ? new ProbedByteController(real, events)
        : new ProbedSourceController(real as never, events);
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
  // What is no method is refused by the stream.
  for (const [name, method] of Object.entries({ start, pull, cancel })) {
    if (method !== undefined && typeof method !== "function") wrapped[name] = method;
  }
  return wrapped as AnySource;
}

/** Wraps an iterable or async iterable. */
function probeIterable(
  found: FoundSource,
  events: StageEvents,
): Iterable<unknown> | AsyncIterable<unknown> {
  const iterate = () => {
    events.claim("Cannot iterate: a probed reader is read once");
    return probeIterator(found.iterate(), events, found.isAsync);
  };
  const method = found.isAsync ? Symbol.asyncIterator : Symbol.iterator;
  return { [method]: iterate } as unknown as Iterable<unknown>;
}

/** Wraps a function that answers batches, for `reader`. */
function probeBatches(
  source: (...args: unknown[]) => unknown,
  events: StageEvents,
): (...args: unknown[]) => unknown {
  const accept = (batch: unknown): unknown => {
    if (batch === null || batch === undefined) events.end("end");
    if (typeof batch !== "object" || batch === null || ArrayBuffer.isView(batch)) return batch;
    return Symbol.iterator in batch ? probeBatch(batch as Iterable<unknown>, events) : batch;
  };
  return (...args) =>
    events.ask(() => {
      const batch = source(...args);
      return isPromiseLike(batch) ? mapPromise(batch, accept, () => {}) : accept(batch);
    });
}
