import { isWithBody, type WithBody, type WithStream } from "../body_of.ts";
import { getDirectRead, isPending, setDirectRead } from "../source/direct_read.ts";
import { endMeaningOf, setEndMeaning } from "../kernels/end_meaning.ts";
import { openStream } from "../source/open_source.ts";
import { findSource } from "../source/find_source.ts";
import { sourceIterator } from "../source/source_iterator.ts";
import { probeIterator } from "./probe_iterator.ts";
import type { StageEvents } from "./stage_events.ts";
import { watchPromise } from "./watch_promise.ts";

type Stream = ReadableStream<unknown>;
type Reader = ReadableStreamDefaultReader<unknown>;

/** What a stream's reader is to those that read it chunk by chunk, looked at. */
function probeReader(reader: Reader, events: StageEvents): Reader {
  let isReleased = false;
  const { closed } = reader;
  watchPromise(closed, () => {
    if (!isReleased) events.end("end");
  }, (reason) => {
    if (!isReleased) events.fail("error", reason);
  });
  return {
    closed,
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
  };
}

/** Wraps a stream: to `pipeline`, `reader` and the joins it is one, that is read past if the stream is. */
export function probeStream(stream: Stream, events: StageEvents): AsyncIterable<unknown> {
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
  const meaning = endMeaningOf(stream);
  if (meaning !== undefined) setEndMeaning(probed, meaning);
  const past = getDirectRead(stream);
  if (past !== undefined) {
    const note = ({ done, value }: IteratorResult<unknown>): void => {
      if (done) events.end("end");
      else events.read(value);
    };
    setDirectRead(probed, {
      next() {
        const result = past.next();
        if (!isPending(result)) {
          note(result);
          return result;
        }
        return {
          then: (onFulfilled, onRejected) =>
            result.then((result) => {
              note(result);
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
export function probeBody(
  source: WithBody<unknown> | WithStream<unknown>,
  events: StageEvents,
): AsyncIterable<unknown> {
  let probed: AsyncIterable<unknown> | undefined;
  const wrap = (body: Stream | null) => body && (probed ??= probeStream(body, events));
  const iterable = {
    [Symbol.asyncIterator](): AsyncIterator<unknown> {
      return findSource("iterate", iterable, "source")!.iterate() as AsyncIterator<unknown>;
    },
  };
  const withBody = isWithBody(source);
  return Object.defineProperties(
    iterable,
    withBody
      ? {
        body: { get: () => wrap(source.body as Stream | null) },
        bodyUsed: { get: () => source.bodyUsed },
      }
      : {
        size: { get: () => (source as WithStream<unknown>).size },
        stream: { value: () => wrap((source as WithStream<unknown>).stream() as Stream) },
      },
  );
}
