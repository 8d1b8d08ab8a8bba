/** What one run of a chain came to. Reasons and chunks are told by name, so that runs can be compared. */
export interface Outcome {
  /** The chunks that reached the consumer or the sink's `write`. */
  readonly chunks: readonly string[];
  /** How the chain ended for the one who waits for it: `closed`, `failed …`, `cancelled`, `hung`, `threw …`. */
  readonly result: string;
  /** What a cancelled source, a closed or aborted sink heard. */
  readonly source: string;
  readonly sink: string;
  /** Where chunks are written by hand: what came of `closed`, of `close` or `abort`, and of each write. */
  readonly writer: readonly string[];
  /** What each stage heard. */
  readonly hooks: readonly (readonly string[])[];
  /** How many ends from outside came. */
  readonly outsideEnds: number;
  /** Whether the source gave its end or its failure before it was asked to stop. */
  readonly hasSourceEnded: boolean;
  readonly isSourceLocked: boolean;
  readonly isSinkLocked: boolean;
  readonly openIterators: number;
  readonly faults: readonly string[];
  /** The order in which all of it happened. */
  readonly order: readonly string[];
  /** Of a chain whose parts are probed: what does not add up in its counts. */
  readonly miscounts: readonly string[];
}
