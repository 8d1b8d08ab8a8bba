import { isWithBody, isWithStream, type WithBody, type WithStream } from "../body_of.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { findSource, type FoundSource, isStream } from "../source/find_source.ts";
import { overlay } from "./overlay.ts";
import { probeController } from "./probe_controller.ts";
import type { StageEvents } from "./stage_events.ts";
import { mapPromise, watchPromise } from "./watch_promise.ts";
import type { UnderlyingByteSource } from "../web_types.ts";
import { leave, type Leaving, openStream } from "../source/open_source.ts";
import { getDirectRead, isPending, setDirectRead } from "../source/direct_read.ts";
import { endMeaningOf, setEndMeaning } from "../kernels/end_meaning.ts";
import { nameOfPart } from "../kernels/name_of_part.ts";
import { sourceIterator } from "../source/source_iterator.ts";

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;
type Result = IteratorResult<unknown>;

/** A chunk is there; where promises are waited for, once it is. */
function note(chunk: unknown, events: StageEvents, awaitsChunks: boolean): unknown {
  if (!awaitsChunks || !isPromiseLike(chunk)) {
    events.read(chunk);
    return chunk;
  }
  return events.work(() =>
    watchPromise(chunk, (value) => note(value, events, awaitsChunks), () => {})
  );
}

/** Looks at a result that its reader is given as it is. */
function noteResult(result: unknown, events: StageEvents): void {
  try {
    const { done, value } = result as Result;
    if (done) events.end("end");
    else events.read(value);
  } catch {
    // Its reader finds out, too.
  }
}

/** An iterator that is looked at: to its reader, the one it would have had. */
function probeIterator(iterator: AnyIterator, events: StageEvents, isAsync: boolean) {
  /** Reads the members of a result once each. */
  const look = (result: unknown): unknown => {
    if (typeof result !== "object" || result === null) return result;
    const { done } = result as Result;
    if (!done) return { done, value: note((result as Result).value, events, !isAsync) };
    events.end("end");
    return { done, value: undefined };
  };
  return {
    next: (...args: [] | [unknown]): unknown =>
      events.ask(() => {
        const result: unknown = iterator.next(...args as []);
        if (!isAsync || !isPromiseLike(result)) return look(result);
        if (result instanceof Promise && result.constructor === Promise) {
          return watchPromise(result, (value) => noteResult(value, events), () => {});
        }
        return mapPromise(result, look, () => {});
      }),
    /** Asked for by who leaves it. */
    get return() {
      const own = iterator.return as ((...args: unknown[]) => unknown) | null | undefined;
      if (own === undefined || own === null) {
        events.fail("cancel", undefined);
        return undefined;
      }
      return (...args: unknown[]) => {
        events.fail("cancel", args[0]);
        return Reflect.apply(own, iterator, args);
      };
    },
    [leave]: () => (iterator as Leaving)[leave]?.(),
  };
}

/** Looks at the chunks of a batch, as they are taken; its end is none of the source's. */
function probeBatch(batch: Iterable<unknown>, events: StageEvents): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      for (const chunk of batch) {
        events.read(chunk);
        yield chunk;
      }
    },
  };
}

type Stream = ReadableStream<unknown>;
type Reader = ReadableStreamDefaultReader<unknown>;

/** What a stream's reader is to those that read it chunk by chunk, looked at. */
function probeReader(reader: Reader, events: StageEvents): Reader {
  let isReleased = false;
  watchPromise(reader.closed, () => {
    if (!isReleased) events.end("end");
  }, (reason) => {
    if (!isReleased) events.fail("error", reason);
  });
  return overlay(reader, {
    read: () =>
      events.ask(() =>
        watchPromise(reader.read(), (result) => {
          const { done, value } = result as ReadableStreamReadResult<unknown>;
          if (!done) events.read(value);
          else if (!isReleased) events.end("end");
        }, () => {})
      ) as ReturnType<Reader["read"]>,
    cancel(reason?: unknown) {
      isReleased = true;
      events.fail("cancel", reason);
      return reader.cancel(reason);
    },
    releaseLock() {
      isReleased = true;
      reader.releaseLock();
    },
  });
}

/** Wraps a stream: to `pipeline`, `reader` and the joins it is one, that is read past if the stream is. */
function probeStream(stream: Stream, events: StageEvents): AsyncIterable<unknown> {
  const claim = () => events.claim("Cannot iterate: a probed reader is read once");
  const probed = {
    get locked(): boolean {
      return stream.locked;
    },
    getReader(): Reader {
      claim();
      return probeReader(stream.getReader(), events);
    },
    cancel(reason?: unknown): Promise<void> {
      events.fail("cancel", reason);
      return stream.cancel(reason);
    },
    [Symbol.asyncIterator](): AsyncIterator<unknown> {
      claim();
      const iterator = sourceIterator(openStream(stream));
      return probeIterator(iterator, events, true) as AsyncIterator<unknown>;
    },
  };
  setEndMeaning(probed, endMeaningOf(stream) ?? {});
  const past = getDirectRead(stream);
  if (past !== undefined) {
    setDirectRead(probed, {
      next() {
        const result = past.next();
        if (!isPending(result)) {
          noteResult(result, events);
          return result;
        }
        return {
          then: (onFulfilled, onRejected) =>
            result.then((result) => {
              noteResult(result, events);
              return onFulfilled(result);
            }, (reason) => {
              events.fail("error", reason);
              return onRejected(reason);
            }),
        };
      },
      release: () => past.release?.(),
    });
  }
  return probed;
}

/** Wraps what has a body: it has the same, looked at. */
function probeBody(
  source: WithBody<unknown> | WithStream<unknown>,
  events: StageEvents,
): AsyncIterable<unknown> {
  let probed: AsyncIterable<unknown> | undefined;
  const wrap = (body: Stream | null) => body && (probed ??= probeStream(body, events));
  const looks = isWithBody(source)
    ? {
      get body() {
        return wrap(source.body as Stream | null);
      },
    }
    : { stream: () => wrap(source.stream() as Stream) };
  const iterate = () => findSource("iterate", iterable, "source")!.iterate();
  const iterable = overlay<object>(
    source,
    Object.assign(looks, { [Symbol.asyncIterator]: iterate }),
  );
  return iterable as AsyncIterable<unknown>;
}

type AnySource = UnderlyingSource<unknown>;

/** Wraps a source: what it is, and what it is called, it stays. */
export function probeSource(source: unknown, events: StageEvents): unknown {
  const probed = wrapSource(source, events) as object;
  if (typeof probed === "function") {
    return Object.defineProperty(probed, "name", { value: (source as () => unknown).name });
  }
  setEndMeaning(probed, { ...endMeaningOf(probed), name: nameOfPart(source, "iterable") });
  return probed;
}

function wrapSource(source: unknown, events: StageEvents): unknown {
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
  let controller: ReadableByteStreamController | undefined;
  const wrapped: Record<string, unknown> = {
    start(real: ReadableByteStreamController): unknown {
      events.open(real);
      controller = probeController(real, events, "close");
      return events.work(() => start?.call(source as never, controller!));
    },
    cancel(reason: unknown): unknown {
      events.fail("cancel", reason);
      return cancel?.call(source as never, reason);
    },
  };
  if (pull !== undefined) {
    const callPull = () => pull.call(source as never, controller!);
    wrapped.pull = (): unknown => {
      events.drain();
      return events.ask(callPull);
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
