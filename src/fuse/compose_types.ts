import type { Transformer } from "../web_types.ts";
import type { ChainStage, Settled } from "../chain_types.ts";

/**
 * The arguments after the first stage.
 *
 * @internal
 */
export type StagesAfter<I, Outputs extends unknown[]> = Outputs extends [infer O, ...infer Rest]
  ? [stage: ChainStage<Settled<I>, O>, ...StagesAfter<O, Rest>]
  : [];

/**
 * The arguments of `compose`, by the chunks that go in and those that each stage gives.
 *
 * @internal
 */
export type ComposeArguments<Chunks extends unknown[]> = Chunks extends
  [infer First, infer Second, ...infer More]
  ? [stage: ChainStage<First, Second>, ...StagesAfter<Second, More>]
  : never;

/**
 * Any number of stages that take what they give.
 *
 * @internal
 */
export type Repeatable<I, O> = readonly (Transformer<I, O> & Transformer<Settled<O>, Settled<O>>)[];
