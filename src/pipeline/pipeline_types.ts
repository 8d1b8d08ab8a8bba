import type { ThreadCounts } from "../thread_counts.ts";
import type {
  AllChunks,
  BareFunction,
  Found,
  MisplacedOptions,
  NodeStream,
  PipelineSink,
  PipelineSource,
  PipelineStage,
  Present,
  Settled,
  StageArray,
  StreamPair,
  Unless,
} from "../chain_types.ts";
import type { RunFailure } from "../engine/run_failure.ts";
import type { PendingRun } from "./pending_run.ts";
import type { Transformer } from "../web_types.ts";

/** Options of every run: of the ends, such as `toArray`, and of `pipeline`. */
export interface GatherOptions {
  /** What failures and pending runs are listed by, any text but the empty one; default: the function's name. */
  readonly runName?: string | undefined;
  /** Aborts the run: cancels the source and aborts the sink with the signal's reason; default: none. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the source is left as it is when the sink or a stage fails or ends early, as in `pipeTo`; default: `false`. */
  readonly preventCancel?: boolean | undefined;
  /**
   * Called with where the run has failed, before its promise rejects; not where the signal has ended it. What it
   * throws, now or later, is ignored: the first failure counts. Default: none.
   */
  readonly onFailure?: ((failure: RunFailure) => void) | undefined;
  /** After how many milliseconds in which nothing moves `onStall` is called; default: never. */
  readonly stallAfterMs?: number | undefined;
  /**
   * Called with the run when it has moved nothing for `stallAfterMs`, and again when it has moved meanwhile. It
   * reports: the run goes on. What it throws, now or later, is ignored. Default: none.
   */
  readonly onStall?: ((run: PendingRun) => void) | undefined;
  /** Whether a failure says where the run was called, which costs some microseconds; default: `false`. */
  readonly callSite?: boolean | undefined;
}

/** Options of `pipeline`. */
export interface PipelineOptions extends GatherOptions {
  /** Whether the sink is left open when the source has ended, as in `pipeTo`; default: `false`. */
  readonly preventClose?: boolean | undefined;
  /** Whether the sink is left as it is when the source or a stage fails, as in `pipeTo`; default: `false`. */
  readonly preventAbort?: boolean | undefined;
}

/** What a pipeline did. */
export interface PipelineResult {
  /** Chunks that the source gave. */
  readonly chunksRead: number;
  /** Chunks that the sink took. */
  readonly chunksWritten: number;
  /** Chunks that `attempt` skipped. */
  readonly chunksSkipped: number;
  /** Chunks that `attempt` tried more than once. */
  readonly chunksRetried: number;
  /** How often `batchBy` or `groupBy` ended what a key had open, since more than `maxKeys` came; left out if never. */
  readonly keysEvicted?: number;
  /** What `inWorkers` did, if the run has such a stage. */
  readonly threads?: Readonly<ThreadCounts>;
  /** Milliseconds from the start until both ends are closed. */
  readonly elapsedMs: number;
}

/**
 * The names of options: where all that may stand last has them, the compiler knows which one was meant.
 *
 * @internal
 */
export type OptionNames = { readonly [Name in keyof PipelineOptions]?: unknown };

/**
 * What the compiler shows where a stage stands last. No stage fits, but one is typed by it: while a chain is being
 * written, its last argument is a stage.
 *
 * @internal
 */
export interface LastStage<I> extends Transformer<I, unknown>, OptionNames {
  /** Its name is the message. */
  readonly "the last argument is a sink, or a sink and options": never;
}

/**
 * A stage or a sink. Until a sink is found behind it, a function takes no part as a stage in typing the parameters of
 * one that is written there, which are a sink's: signatures that differ in their own types do not.
 *
 * @internal
 */
export type StageOrSink<I, O> =
  | BareFunction
  | NodeStream
  | MisplacedOptions
  | StageArray
  | Transformer<I, O>
  | StreamPair<I, O>
  | {
    <Own>(source: AllChunks<I>): AsyncGenerator<O, unknown, undefined>;
    (source: AllChunks<I>): AsyncGenerator<O, unknown, undefined>;
  }
  | PipelineSink<I>;

/**
 * What the compiler shows for a signal as options.
 *
 * @internal
 */
export interface BareSignal extends OptionNames {
  /** What a signal has. */
  readonly aborted?: unknown;
  /** What a signal has. */
  readonly throwIfAborted?: unknown;
  /** Its name is the message. */
  readonly "a signal is an option: write { signal }": never;
}

/**
 * The last argument but one: a stage if a sink was found behind it, and a sink if options were.
 *
 * @internal
 */
export type BeforeLast<I, O, End, Some> = [Found<Some>] extends [never]
  ? [End] extends [never] ? StageOrSink<I, O> : PipelineStage<I, O>
  : Unless<End, PipelineSink<I>>;

/**
 * The last argument.
 *
 * @internal
 */
export type SinkOrOptions<T, End, Some> =
  | BareSignal
  | LastStage<T>
  | (OptionNames & PipelineSink<T, End>)
  | (PipelineOptions & { readonly [Name in keyof PipelineOptions]?: Present<Some> | undefined });

/**
 * The arguments after the source: stages, then a sink, or a sink and options.
 *
 * @internal
 */
export type StagesAndSink<I, O, More extends unknown[], End, Some> = More extends
  [infer Next, ...infer Rest]
  ? [stage: PipelineStage<Settled<I>, O>, ...StagesAndSink<O, Next, Rest, End, Some>]
  : [
    stageOrSink: BeforeLast<Settled<I>, O, End, Some>,
    sinkOrOptions: SinkOrOptions<Settled<O>, End, Some> | undefined,
  ];

/**
 * The arguments of `pipeline`, by the chunks that its source and its stages give.
 *
 * @internal
 */
export type PipelineArguments<Chunks extends unknown[], End = never, Some = unknown> =
  Chunks extends [infer First, infer Second, ...infer More]
    ? [source: PipelineSource<First>, ...StagesAndSink<First, Second, More, End, Some>]
    : Chunks extends [infer Only]
      ? [source: PipelineSource<Only>, sink: PipelineSink<Settled<Only>> | LastStage<Settled<Only>>]
    : never;
