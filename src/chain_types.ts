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
  readonly "a source is a ReadableStream, an iterable, an async iterable, a Blob, a Response or a Request; a promise of one must be awaited":
    never;
}

/** What `pipeline` reads from; if the chunks are `any` it is checked all the same, as it may be `null`. */
export type PipelineSource<T> = Source<T> | (0 extends 1 & T ? never : T & Untyped);

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
export type PipelineSink<T, R = unknown> = ((chunk: T) => R) | WritableOf<T, R>;

/** A pair of streams by what is needed of it, such as a `CompressionStream` or what `fuse` returns. */
export interface StreamPair<I, O> {
  /** Where chunks come out. */
  readonly readable: StreamOf<O>;
  /** Where chunks go in. */
  readonly writable: WritableOf<I>;
}

/** An `async function*` as a stage: it is given its chunks as an async iterable, and gives what it yields. */
export type GeneratorStage<I, O> = (
  source: AsyncIterableIterator<I>,
  context: { readonly signal: AbortSignal },
) => AsyncGenerator<O, unknown, undefined>;

/** A function that makes a pair of streams for each run; it takes nothing. */
export type PairMaker<I, O> = (
  source: AsyncIterableIterator<I>,
  context: { readonly signal: AbortSignal },
) => StreamPair<I, O>;

/**
 * What `fuse` and `compose` take as a stage: a transformer, an `async function*`, a pair of streams such as a
 * `CompressionStream`, or a function that makes one.
 */
export type ChainStage<I, O> =
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

/**
 * `Options`, in which it shows whether any is given.
 *
 * @internal
 */
export type Given<Options, Some> =
  & Options
  & {
    readonly [Key in keyof Options]?: Present<Some> | undefined;
  };
