import { type Meaning, meaningOf } from "./registry.ts";

/** A way past a stream, which is locked meanwhile, and closed, aborted and failed as ever. */
interface DirectSink {
  /** A promise is about room for the next, and never rejects. */
  readonly write: (chunk: unknown) => void | Promise<void>;
  /** Settles once all that it was given is written, or has failed. */
  readonly written: () => PromiseLike<unknown>;
}

/** What is known of a source or a sink that is a native stream. */
export interface EndMeaning extends Pick<Meaning, "name" | "fn"> {
  /** What it waits for at this time, if that is known. */
  readonly waiting?: () => string | undefined;
  /** Of a sink: fulfils once it has started; nothing if it has. */
  readonly started?: (() => PromiseLike<unknown> | undefined) | undefined;
  /** Of a sink: settles once all that it has taken is written, or has failed; nothing if that is so. */
  readonly written?: (() => PromiseLike<unknown> | undefined) | undefined;
  /** Of a sink: how `pipeline` writes past the stream, whose promises cost more than the rest. */
  readonly direct?: DirectSink | undefined;
  /** Of a sink: only its bytes matter, not how they are divided into chunks. */
  readonly takesAnyBytes?: boolean | undefined;
  /** Of a source: learns which run reads it. */
  readonly attach?: (run: never) => void;
  /** Of a side of a chain of native streams: how far that is. */
  readonly chain?: unknown;
}

// Not kept in the streams themselves, as with dictionaries: a stream of another shape is slower in some runtimes.
const meanings = new WeakMap<object, EndMeaning>();

/** Says what a stream of ours is. */
export function setEndMeaning(stream: object, meaning: EndMeaning): void {
  meanings.set(stream, meaning);
}

/** What a stream of ours, a dictionary or a `transform` stands for. */
export function endMeaningOf(part: object): (EndMeaning & Meaning) | undefined {
  return meanings.get(part) ?? meaningOf(part);
}
