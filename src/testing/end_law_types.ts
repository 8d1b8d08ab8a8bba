import type { UnderlyingSink } from "../web_types.ts";
import type { CheckStageOptions } from "./law_types.ts";

/** What a source reads from while it is checked. */
export interface WatchedReads {
  /** Gives the next chunk; the laws make it slow, stall or fail. */
  read(): Promise<IteratorResult<unknown, undefined>>;
  /** Ends it early; what `read` still waits for is then done. */
  cancel(reason?: unknown): Promise<void>;
}

/** What a sink writes to while it is checked. */
export interface WatchedWrites {
  /** Writes a chunk; the laws make it slow, hang or fail. */
  write(chunk: unknown): Promise<void>;
  /** Ends it after the last chunk. */
  close(): Promise<void>;
  /** Ends it early. */
  abort(reason?: unknown): Promise<void>;
}

/** What `makeSource` and `makeSink` are given. */
export interface MadeFrom<Underlying> {
  /** Aborts with the run. */
  readonly signal: AbortSignal;
  /** What it may stand on. Without it, laws of what happens below are skipped. */
  readonly underlying: Underlying;
}

/** A source that `checkSource` runs: a stream, an underlying source, or something to iterate over, such as a Node stream. */
export type CheckedSource =
  | ReadableStream
  | {
    readonly type?: "bytes" | undefined;
    // deno-lint-ignore no-explicit-any -- of either kind of source
    readonly start?: (controller: any) => unknown;
    // deno-lint-ignore no-explicit-any -- of either kind of source
    readonly pull?: (controller: any) => unknown;
    // deno-lint-ignore no-explicit-any -- whatever it is
    readonly cancel?: (reason?: any) => unknown;
  }
  | Iterable<unknown>
  | AsyncIterable<unknown>;

/** A sink that `checkSink` runs: a stream, an underlying sink, or a function that is given each chunk. */
export type CheckedSink =
  | WritableStream
  | UnderlyingSink
  // deno-lint-ignore no-explicit-any -- of any chunks
  | ((chunk: any) => unknown);

/** What `checkSource` gives the source and is allowed to leave out. */
export interface CheckSourceOptions
  extends Pick<CheckStageOptions, "chunks" | "expected" | "isSame" | "readAhead" | "io" | "skip"> {
  /** Makes a source that fails with `reason` by itself; without it `ownError` is skipped. */
  readonly makeFailing?:
    | ((reason: unknown, context: MadeFrom<WatchedReads>) => CheckedSource)
    | undefined;
}

/** What `checkSink` gives the sink and is allowed to leave out. */
export interface CheckSinkOptions
  extends Pick<CheckStageOptions, "chunks" | "expected" | "isSame" | "io" | "skip"> {
  /** How many chunks it may take before they are written, beyond the one that a sink takes (default: 0). */
  readonly writeAhead?: number | undefined;
  /** Reads what a sink has written, for one that writes elsewhere than to `underlying`. */
  readonly written?:
    | ((sink: CheckedSink) => readonly unknown[] | PromiseLike<readonly unknown[]>)
    | undefined;
  /** Makes a sink that fails with `reason` by itself at its first chunk; without it `ownError` is skipped. */
  readonly makeFailing?:
    | ((reason: unknown, context: MadeFrom<WatchedWrites>) => CheckedSink)
    | undefined;
}
