import type { StagesAfter } from "../fuse/compose_types.ts";
import type { ChainStage } from "../chain_types.ts";

/** How `perMessage` works. */
export interface PerMessageOptions {
  /** How many messages may be in work at a time, a positive integer; their outputs may then mix. Default: 1. */
  concurrency?: number | undefined;
}

/**
 * The arguments of `perMessage`, by the body that goes in and the chunks that each stage gives.
 *
 * @internal
 */
export type PerMessageArguments<Chunks extends unknown[]> = Chunks extends
  [infer First, infer Second, ...infer More] ? [
    stage: ChainStage<First, Second>,
    ...stages: StagesAfter<Second, More>,
    options?: PerMessageOptions,
  ]
  : never;
