import { throwTypeError } from "../errors.ts";
import { isStream } from "../source/find_source.ts";
import { openStream } from "../source/open_source.ts";
import { sourceIterator } from "../source/source_iterator.ts";
import type { CheckedSource } from "./end_law_types.ts";
import type { SourceWay } from "./source_law_types.ts";
import { watchMembers } from "./watch_members.ts";

// deno-lint-ignore no-explicit-any -- sources of any chunks
type Any = any;

/** What a source can be. */
export type SourceKind = "stream" | "dictionary" | "iterable";

/** A source that is read chunk by chunk. */
export interface Reading {
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** `undefined` if it has no way to be ended. */
  readonly cancel: ((reason: unknown) => Promise<unknown>) | undefined;
}

/** Where the methods of an underlying source have their controller. */
const controllerPlaces = { start: 0, pull: 0, cancel: -1 };

/** What a source is; throws if it is none. */
export function kindOfSource(source: CheckedSource): SourceKind {
  if (source === null || typeof source !== "object") {
    throwTypeError(
      "check source",
      "source",
      "a stream, an underlying source or an iterable",
      source,
    );
  }
  if (isStream(source)) return "stream";
  return Symbol.asyncIterator in source || Symbol.iterator in source ? "iterable" : "dictionary";
}

/** The source as it is read: an underlying source becomes a stream, with an eye on what it does. */
export function openSubject(
  source: CheckedSource,
  note: (call: string) => void,
): ReadableStream | AsyncIterable<unknown> {
  return kindOfSource(source) === "dictionary"
    ? new ReadableStream(watchMembers(source, controllerPlaces, note) as Any, { highWaterMark: 0 })
    : source as Any;
}

/** Whether it is a stream of bytes. */
export function hasBytes(source: unknown): boolean {
  if (!isStream(source)) return false;
  try {
    source.getReader({ mode: "byob" } as Any).releaseLock();
    return true;
  } catch {
    return false;
  }
}

function iteratorOf(source: Any): AsyncIterator<unknown> | Iterator<unknown> {
  const method = source[Symbol.asyncIterator] ?? source[Symbol.iterator];
  return method === undefined ? sourceIterator(openStream(source)) : method.call(source);
}

/** Begins to read a source. */
export function openReading(
  way: SourceWay,
  source: ReadableStream | AsyncIterable<unknown>,
): Reading {
  if (way === "for await") {
    const iterator = iteratorOf(source);
    return {
      next: async () => {
        const result = await iterator.next();
        return result.done ? result : { done: false, value: await result.value };
      },
      cancel: iterator.return === undefined
        ? undefined
        : async (reason) => await iterator.return!(reason),
    };
  }
  const stream = source as ReadableStream;
  if (way === "BYOB") {
    const reader = (stream as Any).getReader({ mode: "byob" });
    return {
      next: () => reader.read(new Uint8Array(3)),
      cancel: (reason) => reader.cancel(reason),
    };
  }
  const reader = stream.getReader();
  return { next: () => reader.read() as Any, cancel: (reason) => reader.cancel(reason) };
}
