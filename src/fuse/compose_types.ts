import type { Settled } from "../chain_types.ts";
import type { Transformer } from "../web_types.ts";

type StagesAfter<I, Outputs extends unknown[]> = Outputs extends [infer O, ...infer Rest]
  ? [stage: Transformer<Settled<I>, O>, ...StagesAfter<O, Rest>]
  : [];

/** The arguments of `compose`, by the chunks that go in and those that each stage gives. */
export type ComposeArguments<Chunks extends unknown[]> = Chunks extends
  [infer First, infer Second, ...infer More]
  ? [stage: Transformer<First, Second>, ...StagesAfter<Second, More>]
  : never;
