/** A mark, as JSON can say it. */
export type Mark = number | "Infinity";

/** A queuing strategy; `size` is that of every second chunk, the others being 1. */
export interface Strategy {
  readonly highWaterMark?: Mark;
  readonly size?: number;
}

/** What `start`, `flush`, `cancel`, `close` or `abort` does, after so many microtasks; 0: at once. */
export interface Hook {
  readonly mode: "log" | "enqueue" | "throw" | "error" | "terminate";
  readonly delay: number;
  readonly kind: number;
}

/** How a stage's function or transform fails. */
export interface Failure {
  /** The call that fails, from 0. */
  readonly at: number;
  /** How many chunks that call gives before. */
  readonly after: number;
  readonly how: "throw" | "error" | "terminate";
  readonly kind: number;
}

export const operators = [
  "raw",
  "map",
  "filter",
  "flatMap",
  "tap",
  "scan",
  "parallel",
  "flatMapAhead",
  "take",
  "drop",
  "batch",
  "lines",
  "none",
  "compose",
  "dropWhile",
  "takeWhile",
  "takeUntil",
  "batchBy",
  "split",
  "rechunk",
  "formatNdjson",
  "stage",
] as const;

/** Those that call for the next chunk before the last one is done. */
export const worksAhead: ReadonlySet<string> = new Set(["parallel", "flatMapAhead"]);

export interface Stage {
  readonly operator: (typeof operators)[number];
  /** "mixed" answers every other call with a promise. */
  readonly timing: "sync" | "async" | "mixed";
  /** Microtasks that a promise takes. */
  readonly delay: number;
  /** How many chunks come of one; how many are taken, dropped, batched, or in flight. */
  readonly size: number;
  /** What kind of iterable or value comes back; where a raw stage waits. */
  readonly shape: 0 | 1 | 2 | 3;
  /** For `run`: the stage is given as a native pair of streams. */
  readonly isPair?: boolean;
  readonly failure?: Failure;
  readonly start?: Hook;
  readonly flush?: Hook;
  readonly cancel?: Hook;
}

export interface Source {
  /**
   * `writes`: chunks are written to the writable side by hand. `from`, `sync`, `async`: an iterable, natively in
   * `ReadableStream.from`.
   */
  readonly shape: "pull" | "start" | "bytes" | "tee" | "sync" | "async" | "writes";
  readonly count: number;
  /** Every so manyth chunk is an odd value; 0: none. */
  readonly odd: number;
  /** Whether some odd values fail when they are awaited. */
  readonly hasTraps?: boolean;
  readonly strategy: Strategy;
  readonly delay: number;
  /** Chunks a pull; for `writes`, 0 waits for `ready`, 1 for the write, more for nothing. */
  readonly burst: number;
  readonly ending: "close" | "error" | "never";
  readonly kind: number;
  readonly cancel?: Hook;
}

export interface Sink {
  /** `reads`: a default reader. `pipe`: a `WritableStream`. `writer`: one of ours. `function`: for `pipeline` alone. */
  readonly shape: "reads" | "pipe" | "writer" | "function";
  /** How many reads are outstanding, or writes in flight, at a time. */
  readonly reads: number;
  readonly strategy: Strategy;
  readonly delay: number;
  /** The chunk whose write fails; the number of chunks after which `reads` cancels. */
  readonly endsAt?: number;
  readonly kind: number;
  readonly start?: Hook;
  readonly close?: Hook;
  readonly abort?: Hook;
}

/** An end from outside, so many microtasks after something was seen so many times. */
export interface OutsideEnd {
  readonly what: "source" | "sink" | "error" | "terminate" | "signal";
  /** For `error` and `terminate`: which. */
  readonly stage: number;
  /** What is counted: chunks from the source, chunks at the sink, a stage's calls. */
  readonly seen: "source" | "sink" | "stage";
  readonly count: number;
  readonly delay: number;
  readonly kind: number;
}

/** A chain with its two ends and everything that happens to it. */
export interface Chain {
  readonly stages: readonly Stage[];
  readonly source: Source;
  readonly sink: Sink;
  readonly writableStrategy: Strategy;
  readonly readableStrategy: Strategy;
  readonly ends: readonly OutsideEnd[];
}

/** How a chain is run: `fused` between native ends, or `run` by `pipeline`. */
export type Way = "fused" | "run";

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
