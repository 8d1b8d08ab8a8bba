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
  /** Where the chunks are now. */
  occupancy(): Occupancy;
  /** Every buffer by itself, with the sum of sizes in it. */
  buffers(): ProbeBuffer[];
  /** Which stage holds the pipeline back. */
  bottleneck(): Bottleneck;
  /** The events that are kept, oldest first. */
  events(): ProbeEvent[];
  /** How many events happened and are no longer kept. */
  dropped(): number;
  /** The events that are kept, as JSON, one a line. */
  toJsonLines(): string;
  /** The events that are kept, as a trace for `chrome://tracing` or Perfetto. */
  toChromeTrace(): ChromeTrace;
}
