import type { Bytes } from "../web_types.ts";
import type { GatherOptions } from "../pipeline/pipeline_types.ts";
import type { PipelineSource, PipelineStage, Settled } from "../chain_types.ts";

/** Options of `toArray`. */
export interface ToArrayOptions extends GatherOptions {
  /** The most chunks allowed; one more fails with a `RangeError` and cancels the source. Default: `Infinity`. */
  readonly maxChunks?: number | undefined;
}

/** Options of `toText` and `toJson`. */
export interface ToTextOptions extends GatherOptions {
  /** The longest text allowed, in UTF-16 code units; more fails with a `RangeError` and cancels the source. Default: `Infinity`. */
  readonly maxLength?: number | undefined;
}

/** Options of `toBytes`. */
export interface ToBytesOptions extends GatherOptions {
  /** The most bytes allowed; more fails with a `RangeError` and cancels the source. Default: `Infinity`. */
  readonly maxBytes?: number | undefined;
}

/** What one end gives, which chunks it takes, and its options. */
export interface GatherContract<Result, Takes = unknown, Options = GatherOptions> {
  /** What it gives. */
  readonly result: Result;
  /** The chunks that may reach it. */
  readonly takes: Takes;
  /** Its options. */
  readonly options: Options;
}

/** The ends, by the chunks that reach them. */
export interface Gathered<T> {
  /** All chunks. */
  toArray: GatherContract<Promise<T[]>, unknown, ToArrayOptions>;
  /** The first chunk, if there is one. */
  first: GatherContract<Promise<T | undefined>>;
  /** The last chunk, if there is one. */
  last: GatherContract<Promise<T | undefined>>;
  /** How many chunks there are. */
  count: GatherContract<Promise<number>>;
  /** The chunks as they come. */
  iterate: GatherContract<AsyncGenerator<T, undefined, undefined>>;
  /** The chunks as one text. */
  toText: GatherContract<Promise<string>, string | Uint8Array, ToTextOptions>;
  /** The chunks as one array of bytes. */
  toBytes: GatherContract<Promise<Bytes>, string | Uint8Array, ToBytesOptions>;
  /** What the text of the chunks says, as JSON. */
  toJson: GatherContract<Promise<unknown>, string | Uint8Array, ToTextOptions>;
}

/**
 * The chunks that may reach an end.
 *
 * @internal
 */
export type Fits<Name extends keyof Gathered<unknown>> = Gathered<unknown>[Name]["takes"];

/**
 * What the compiler shows where options follow chunks that the end does not take.
 *
 * @internal
 */
export interface Unfit {
  /** Its name is the message. */
  readonly "the chunks before the options must be text (string) or bytes (Uint8Array)": never;
}

type OptionsAfter<Name extends keyof Gathered<unknown>, I> = unknown extends Fits<Name>
  ? Gathered<unknown>[Name]["options"]
  : [I] extends [Fits<Name>] ? Gathered<unknown>[Name]["options"]
  : Unfit;

/**
 * The arguments after the source: stages, then a stage or options.
 *
 * @internal
 */
export type StagesAndOptions<Name extends keyof Gathered<unknown>, I, O, More extends unknown[]> =
  More extends [infer Next, ...infer Rest]
    ? [stage: PipelineStage<Settled<I>, O>, ...StagesAndOptions<Name, O, Next, Rest>]
    : [stageOrOptions: PipelineStage<Settled<I>, O> | OptionsAfter<Name, I> | undefined];

/**
 * The arguments of an end, by the chunks that its source and its stages give.
 *
 * @internal
 */
export type GatherArguments<Name extends keyof Gathered<unknown>, Chunks extends unknown[]> =
  Chunks extends [infer First, infer Second, ...infer More]
    ? [source: PipelineSource<First>, ...StagesAndOptions<Name, First, Second, More>]
    : Chunks extends [infer Only] ? [source: PipelineSource<Only>]
    : never;
