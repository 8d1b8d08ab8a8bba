import type { Source } from "./source_types.ts";
import type { StreamOf, Transformer } from "./web_types.ts";

/**
 * `T`, which is not looked for here: it is settled by what stands before.
 *
 * @internal
 */
export type Settled<T> = [T][T extends unknown ? 0 : never];

/**
 * What the compiler shows where nothing else fits a source. A source of type `any` fits: its chunks are `any`.
 *
 * @internal
 */
export interface Untyped {
  /** Its name is the message. */
  readonly "the first argument is the source: a ReadableStream, an iterable, an async iterable, a Blob, a Response or a Request; await a promise of one":
    never;
}

/**
 * What the compiler shows for a function as a source. As its signatures differ in their own types, they type no
 * parameter of a function written there.
 *
 * @internal
 */
export interface UncalledSource {
  /** Any function. */
  <Own>(...args: never): unknown;
  /** Any function. */
  (...args: never): unknown;
  /** Its name is the message. */
  readonly "a function is no source: call the generator function, as in source(), or use reader(fn)":
    never;
}

/**
 * What the compiler shows for a function or a class as a stage. As its signatures differ in their own types, they type
 * no parameter of a function written there.
 *
 * @internal
 */
export interface BareFunction {
  /** Any function. */
  <Own>(...args: never): unknown;
  /** Any function. */
  (...args: never): unknown;
  /** Any class. */
  new (...args: never): unknown;
  /** Its name is the message. */
  readonly "a function is no stage: wrap it, as in map(fn), or call it, as in lines(); an async function* is one, of an AsyncIterable of the chunks before it":
    never;
}

/**
 * What the compiler shows for a stream of Node as a stage or a sink.
 *
 * @internal
 */
export interface NodeStream {
  /** What those that are read have. */
  readonly readableFlowing?: unknown;
  /** What those that are read have. */
  readonly readableLength?: unknown;
  /** What those that are written have. */
  readonly writableFinished?: unknown;
  /** What those that are written have. */
  readonly writableLength?: unknown;
  /** Its name is the message. */
  readonly "a stream of Node is neither stage nor sink: use fromNode(stream, { as: 'pair' }) or { as: 'writable' } from @hosepipe/streams/node":
    never;
}

/**
 * What the compiler shows for an array as a stage.
 *
 * @internal
 */
export interface StageArray {
  /** What arrays have. */
  readonly findLastIndex?: unknown;
  /** What arrays have. */
  readonly flatMap?: unknown;
  /** Its name is the message. */
  readonly "an array is no stage: compose(stages) makes one of it": never;
}

/**
 * What the compiler shows for options where a stage is to stand.
 *
 * @internal
 */
export interface MisplacedOptions {
  /** An option of each run. */
  readonly signal?: unknown;
  /** An option of each run. */
  readonly runName?: unknown;
  /** Its name is the message. */
  readonly "options come last, after the sink": never;
}

/** What `pipeline` reads from; if the chunks are `any` it is checked all the same, as it may be `null`. */
export type PipelineSource<T> =
  | UncalledSource
  | Source<T>
  | (0 extends 1 & T ? never : T & Untyped);

/** A `WritableStream` by what is needed of it; `write` is a property, so that a stream of other chunks does not fit. */
export interface WritableOf<T, R = unknown> {
  /** Whether a writer has it. */
  readonly locked: boolean;
  /** Gives the stream up. */
  abort(reason?: unknown): R;
  /** Locks the stream. */
  getWriter(): {
    /** Writes a chunk. */
    readonly write: (chunk: T) => Promise<void>;
    /** Lets go of the stream. */
    releaseLock(): void;
  };
}

/** What `pipeline` writes to; a function that returns a promise is waited for before the next chunk. */
export type PipelineSink<T, R = unknown> = NodeStream | ((chunk: T) => R) | WritableOf<T, R>;

/** A pair of streams by what is needed of it, such as a `CompressionStream` or what `fuse` returns. */
export interface StreamPair<I, O> {
  /** Where chunks come out. */
  readonly readable: StreamOf<O>;
  /** Where chunks go in. */
  readonly writable: WritableOf<I>;
}

/**
 * What a function is given as a stage: `Property 'trim' does not exist on type 'AllChunks<string>'` is a forgotten `map`.
 *
 * @internal
 */
export interface AllChunks<T> extends AsyncIterableIterator<T> {}

/** An `async function*` as a stage: it is given its chunks as an async iterable, and gives what it yields. */
export type GeneratorStage<I, O> = (
  source: AllChunks<I>,
  context: { readonly signal: AbortSignal },
) => AsyncGenerator<O, unknown, undefined>;

/** A function that makes a pair of streams for each run; it takes nothing. */
export type PairMaker<I, O> = (
  source: AllChunks<I>,
  context: { readonly signal: AbortSignal },
) => StreamPair<I, O>;

/**
 * What `fuse` and `compose` take as a stage: a transformer, an `async function*`, a pair of streams such as a
 * `CompressionStream`, or a function that makes one.
 */
export type ChainStage<I, O> =
  // Not under a name of their own: newer compilers would make another type of each chain for it.
  | BareFunction
  | NodeStream
  | MisplacedOptions
  | StageArray
  | Transformer<I, O>
  | GeneratorStage<I, O>
  | StreamPair<I, O>
  | PairMaker<I, O>;

/** What `pipeline` takes as a stage. */
export type PipelineStage<I, O> = ChainStage<I, O>;

/**
 * `Type` unless something was found.
 *
 * @internal
 */
export type Unless<Found, Type> = [Found] extends [never] ? Type : never;

/**
 * What was found in options; `never` if nothing was.
 *
 * @internal
 */
export type Found<Some> = unknown extends Some ? never : Some;

/**
 * What every value has, so that an option of any type shows that it is there.
 *
 * @internal
 */
export interface Present<Some> {
  /** Any value's own. */
  toString(): Some;
}
