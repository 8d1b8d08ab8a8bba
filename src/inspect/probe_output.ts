import type { Bottleneck } from "./bottleneck.ts";
import type { ChromeTrace } from "./chrome_trace.ts";
import type { Occupancy, ProbeBuffer, ProbeEvent } from "./types.ts";

/** An underlying sink that is looked at: all its methods are there, and none needs a `this`. */
export interface ProbedSink<T> {
  /** Called once, when the stream is made. */
  readonly start: (controller: WritableStreamDefaultController) => void | PromiseLike<void>;
  /** Writes a chunk. */
  readonly write: (chunk: T, ...rest: unknown[]) => void | PromiseLike<void>;
  /** Called after the last write. */
  readonly close: () => void | PromiseLike<void>;
  /** Called in its place when the stream is aborted. */
  readonly abort: (reason?: unknown) => void | PromiseLike<void>;
}

/** What a probe has seen. */
export interface ProbeOutput extends AsyncIterable<ProbeEvent> {
  /** What the pipeline is called. */
  readonly name: string;
  /** Where the chunks are now. */
  occupancy(): Occupancy;
  /** Every buffer by itself, with the sum of sizes in it. */
  buffers(): ProbeBuffer[];
  /** Which stage limits the speed of the pipeline. */
  bottleneck(): Bottleneck;
  /** The events that are kept, oldest first. */
  events(): ProbeEvent[];
  /** How many events happened and are no longer kept. */
  dropped(): number;
  /**
   * A recording: JSON, one value a line. The first line is a {@linkcode RecordingHeader}; each line after it is one of
   * the events that are kept, oldest first, with the members of a {@linkcode ProbeEvent}.
   *
   * ```jsonl
   * {"format":"hosepipe-probe","version":1,"name":"pipeline","dropped":0,"stages":[{"name":"reader","kind":"reader"}],…}
   * {"seq":1,"timeMs":0.5,"stage":"reader","event":"read","id":"1","desiredSize":0,"wantsMore":false,"occupancy":{…}}
   * ```
   *
   * JSON has no infinity: an infinite mark or `desiredSize` is `"Infinity"`. A reader should refuse another `format`
   * or `version`, and ignore members that it does not know: more may come without a new version.
   */
  toJsonLines(): string;
  /** The events that are kept, as a trace for `chrome://tracing` or Perfetto. */
  toChromeTrace(): ChromeTrace;
  /** Ends what iterates its events, as `await using` does where its block ends; the pipeline goes on. */
  [Symbol.asyncDispose](): Promise<void>;
}
