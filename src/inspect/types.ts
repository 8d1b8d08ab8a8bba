/** The kinds of stages a probe can wrap. */
export type ProbedKind = "reader" | "transformer" | "writer";

/**
 * What a probe reports. `read`: a source gives a chunk. `transform` and `write`: a stage begins one. `written`: a write has finished. `end`: the source has no
 * more. `final`: `flush` or `close`. `backpressure` and `drain`: the stage is asked to pause, and to go on. `error`: the
 * stage failed. `cancel`: it was cancelled or aborted.
 */
export type ProbeEventName =
  | "read"
  | "transform"
  | "write"
  | "written"
  | "end"
  | "final"
  | "backpressure"
  | "drain"
  | "error"
  | "cancel";

/** Where the chunks of a pipeline are, in chunks; several transformers are summed up. */
export interface Occupancy {
  /** In the queue of the source. */
  readonly readerOut: number;
  /** Waiting for a transformer, those on their way through a pipe included. */
  readonly transformerIn: number;
  /** Being transformed, with nothing to show for it yet; of `parallel` all that it holds, results that wait among them. */
  readonly transforming: number;
  /** In the outgoing queue of a transformer. */
  readonly transformerOut: number;
  /** Waiting for the sink, those on their way through a pipe included. */
  readonly writerIn: number;
  /** Writes in flight. */
  readonly writing: number;
  /** Writes finished, the failed ones not among them. */
  readonly written: number;
}

/** One thing that happened. */
export interface ProbeEvent {
  /** Counted from 1. */
  readonly seq: number;
  /** Since the probe was made, in milliseconds; within one turn of the event loop, up to 64 events share a time. */
  readonly timeMs: number;
  /** The name of the stage. */
  readonly stage: string;
  /** What happened. */
  readonly event: ProbeEventName;
  /** The chunk: what `identify` calls it, otherwise which of the stage's chunks it is, counted from 1. */
  readonly id?: string;
  /**
   * Of `read` and `transform`, once the chunk is in the queue: the room that is left, by the queue's own measure;
   * `null` if the stream has failed.
   */
  readonly desiredSize?: number | null;
  /** Of the same: whether the stage is asked for more. */
  readonly wantsMore?: boolean;
  /**
   * Of `transform` and `write`, once it is over: how long it took, in milliseconds. Of those that answer at once within
   * 0.02 ms, only one in 64 is measured.
   */
  readonly durationMs?: number;
  /** Of `error` and `cancel`: the reason, as text. */
  readonly reason?: string;
  /** Where the chunks are; what an event announces counts as done. */
  readonly occupancy: Occupancy;
}

/** What a stage learned by putting a chunk in its queue. */
export interface ProbeAnswer {
  /** The name of the stage. */
  readonly stage: string;
  /** The chunk, as in the event that announced it. */
  readonly id: string;
  /** The room that is left, by the queue's own measure; `null` if the stream has failed. */
  readonly desiredSize: number | null;
  /** Whether the stage is asked for more. */
  readonly wantsMore: boolean;
}

/** One buffer at one instant. */
export interface ProbeBuffer {
  /** The stage it belongs to. */
  readonly stage: string;
  /** Which of the four kinds it is. */
  readonly kind: "readerOut" | "transformerIn" | "transformerOut" | "writerIn";
  /** Chunks in it; `undefined` where the stage before is not wrapped, so that it is unknown. */
  readonly count: number | undefined;
  /** The sum of their sizes, by the strategy's `size`; equal to `count` without one. */
  readonly size: number | undefined;
  /** The high-water mark; `undefined` where it is not known. */
  readonly highWaterMark: number | undefined;
  /** The room that is left below the mark, by the queue's own measure; `undefined` where it is not known. */
  readonly desiredSize: number | undefined;
}

/** How a probe looks. */
export interface RecorderOptions {
  /** What the pipeline is called in recordings, pages and metrics. Default: `pipeline`. */
  name?: string | undefined;
  /** How many events are kept, the last ones; 0 keeps the counters alone. Default: 10,000. */
  capacity?: number | undefined;
  /** Names a chunk in events. Default: which of the stage's chunks it is, counted from 1. */
  // deno-lint-ignore no-explicit-any -- a probe sees chunks of every stage
  identify?: ((chunk: any) => string) | undefined;
  /** Called with each event as it happens. Default: none. */
  onEvent?: ((event: ProbeEvent) => void) | undefined;
  /** Called when a chunk has been put in a queue, with what its stage learned by that. Default: none. */
  onAnswer?: ((answer: ProbeAnswer) => void) | undefined;
  /** A clock, in milliseconds, that is read for each event. Default: `performance.now`, read when it matters. */
  now?: (() => number) | undefined;
}

/** What a probe needs to know of a source or sink. */
export interface ProbeOptions<T> {
  /** What the stage is called in events. Default: its kind. */
  name?: string | undefined;
  /** The queuing strategy its stream is made with. Default: a `highWaterMark` of 1 chunk. */
  strategy?: QueuingStrategy<T> | undefined;
}

/** What a probe needs to know of a transformer. */
export interface ProbeTransformerOptions<I, O> {
  /** What the stage is called in events. Default: `transformer`, then `transformer 2` and so on. */
  name?: string | undefined;
  /** The strategy of its incoming queue. Default: a `highWaterMark` of 1 chunk. */
  writableStrategy?: QueuingStrategy<I> | undefined;
  /** The strategy of its outgoing queue. Default: a `highWaterMark` of 0 chunks. */
  readableStrategy?: QueuingStrategy<O> | undefined;
}
