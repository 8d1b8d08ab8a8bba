// Between its steps a chain is untyped, as a chain of stages built in a loop is.
// deno-lint-ignore no-explicit-any
export type Chunk = any;

/** One step of a chain, for a contestant to make a stage of in its own way. */
export type Step =
  | { readonly kind: "map"; readonly fn: (chunk: Chunk) => Chunk }
  | { readonly kind: "filter"; readonly fn: (chunk: Chunk) => boolean };

/** A chain to be built and drained: every contestant gets the same source, steps and writer. */
export interface ChainJob {
  /** Opens the source. */
  source(): AsyncGenerator<Chunk, void, undefined>;
  /** Whether the source gives arrays of chunks, so that the first stage has to take them apart. */
  readonly isBatched: boolean;
  readonly steps: readonly Step[];
  /** Takes a chunk at the end; a promise must be awaited before the next call. */
  write(chunk: Chunk): void | Promise<void>;
}

/** Builds the chain and drains it; a contestant is one such function. */
export type RunChain = (job: ChainJob) => Promise<void>;
