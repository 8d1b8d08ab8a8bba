import type { Transformer } from "../web_types.ts";

/** The two queuing strategies of a fused pair, as the second and third argument of `new TransformStream()`. */
export interface FuseStrategies<I, O> {
  /** The queue before the first stage; default: `highWaterMark` 1 (chunks). */
  readonly writableStrategy?: QueuingStrategy<I>;
  /** The queue after the last stage; default: `highWaterMark` 0 (chunks). */
  readonly readableStrategy?: QueuingStrategy<O>;
}

/** What `pipeline` takes as a stage: a transformer, or a pair of streams such as a `CompressionStream`. */
export type PipelineStage<I, O> = Transformer<I, O> | ReadableWritablePair<O, I>;

/** What `pipeline` reads from. */
export type PipelineSource<T> = ReadableStream<T> | Iterable<T | PromiseLike<T>> | AsyncIterable<T>;

/** What `pipeline` writes to; a function that returns a promise is waited for before the next chunk. */
export type PipelineSink<T> = WritableStream<T> | ((chunk: T) => unknown);
