import type { StageContext } from "../kernels/stage_context.ts";
import type { GatherOptions } from "../pipeline/pipeline_types.ts";

/** Options of `every`, `some` and `find`. */
export interface TestOptions extends GatherOptions {
  /** How many calls may be in flight at a time, a positive integer or `Infinity`. Default: 1. */
  readonly concurrency?: number | undefined;
}

/** What `every`, `some` and `find` call with each chunk; they wait for the promise it may return. */
export type ChunkTest<T> = (chunk: T, index: number, context: StageContext) => unknown;

/** What `every`, `some` and `find` give, by the chunks that reach them. */
export interface Tested<T> {
  /** Whether all chunks pass. */
  every: Promise<boolean>;
  /** Whether any passes. */
  some: Promise<boolean>;
  /** The first that passes, if there is one. */
  find: Promise<T | undefined>;
}

/** What `reduce` calls with each chunk; it waits for the promise it may return. */
export type Reducer<T, State> = (
  state: State,
  chunk: T,
  index: number,
  context: StageContext,
) => State | PromiseLike<State>;
