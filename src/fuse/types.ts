import type { ChainStage, Settled } from "../chain_types.ts";
import type { Strategy } from "../web_types.ts";

/** The two queuing strategies of a fused pair, as the second and third argument of `new TransformStream()`. */
export interface FuseStrategies<I, O> {
  /** The queue before the first stage; default: `highWaterMark` 1 (chunks). */
  readonly writableStrategy?: Strategy<I> | undefined;
  /** The queue after the last stage; default: `highWaterMark` 0 (chunks). */
  readonly readableStrategy?: Strategy<O> | undefined;
}

/**
 * The arguments after the first stage: stages, then a stage or strategies.
 *
 * @internal
 */
export type StagesAndStrategies<First, I, O, More extends unknown[]> = More extends
  [infer Next, ...infer Rest]
  ? [stage: ChainStage<Settled<I>, O>, ...StagesAndStrategies<First, O, Next, Rest>]
  : [
    stageOrStrategies:
      | ChainStage<Settled<I>, O>
      | FuseStrategies<Settled<First>, Settled<I>>
      | undefined,
  ];

/**
 * The arguments of `fuse`, by the chunks that go in and those that each stage gives.
 *
 * @internal
 */
export type FuseArguments<Chunks extends unknown[]> = Chunks extends
  [infer First, infer Second, infer Third, ...infer More]
  ? [stage: ChainStage<First, Second>, ...StagesAndStrategies<First, Second, Third, More>]
  : Chunks extends [infer First, infer Second] ? [stage: ChainStage<First, Second>]
  : never;
