/** What becomes of a source's numbers. */
export type FlowKind = "inner" | "hub" | "rate" | "generators" | "waiting";

/** How many inner sources are read at a time. */
export const concurrency = 4;

/** How many branches a hub has. */
export const branches = 10;

/** How many generators numbers pass one behind the other. */
export const generatorCount = 3;

/** A rate that is never reached: what is measured is what it costs a chunk. */
export const perSecond = 1e9;

/** Numbers that are read several sources at a time, are given to many, or pass a limit of their rate or generators. */
export interface FlowJob {
  readonly kind: FlowKind;
  /** Opens the source: of numbers, or, if they open inner sources, of those. */
  open(): AsyncIterable<number>;
  /** The inner source of a number. */
  openInner(n: number): AsyncIterable<number>;
  /** Passes each number on as an async generator function does; where they wait, after a millisecond. */
  passOn(numbers: AsyncIterable<number>): AsyncGenerator<number, void, undefined>;
  /** Takes each number that comes out, in a hub once for each branch. */
  take(value: number): void;
}

/** Runs the job; a contestant is one such function. */
export type RunFlow = (job: FlowJob) => Promise<void>;
