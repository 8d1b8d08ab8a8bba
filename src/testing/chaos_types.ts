/** What `chaos` may do besides delays and cuts. */
export type ChaosFault = "abort" | "call" | "sink" | "source";

/** What a pipeline under chaos is made with. */
export interface ChaosContext {
  /** Aborts at a drawn moment, if `faults` has `"abort"`. */
  readonly signal: AbortSignal;
  /**
   * Gives chunks as a Web stream, each late or at once, with a drawn `highWaterMark`; it may fail in place of any, and
   * bytes (`Uint8Array`) may be cut anywhere.
   *
   * @typeParam T The type of the chunks.
   * @param chunks What it gives, in order.
   */
  source<T>(chunks: Iterable<T>): ReadableStream<T>;
  /**
   * The same as an async iterable, which is asked for one chunk at a time and has a `return`.
   *
   * @typeParam T The type of the chunks.
   * @param chunks What it gives, in order.
   */
  iterable<T>(chunks: Iterable<T>): AsyncIterable<T>;
  /**
   * Takes chunks as a Web stream, each write late or at once, with a drawn `highWaterMark`; any write, and the close, may
   * fail.
   *
   * @typeParam T The type of the chunks.
   * @param write Called with each chunk that is written; a promise that it gives is waited for.
   */
  sink<T>(write?: (chunk: T) => unknown): WritableStream<T>;
  /**
   * Makes a function of which each call is late or at once, and may fail before `fn` is called or after.
   *
   * @param fn What is called, with the same arguments.
   */
  wrap<A extends readonly unknown[], R>(fn: (...args: A) => R): (...args: A) => Promise<Awaited<R>>;
  /** Fulfilled at once or late. */
  pause(): Promise<void>;
}

/** The part of fast-check that `chaos` calls: its default export has it. */
// deno-lint-ignore no-explicit-any -- its types are fast-check's own
export type ChaosFastCheck = Readonly<Record<ChaosFastCheckFunction, (...args: any[]) => any>>;

/** What of fast-check is called. */
export type ChaosFastCheckFunction =
  | "array"
  | "asyncProperty"
  | "check"
  | "constant"
  | "integer"
  | "oneof";

/** How `chaos` draws schedules. */
export interface ChaosOptions {
  /** The module fast-check, which draws and shrinks; not needed with `schedule`. Default: none. */
  readonly fastCheck?: ChaosFastCheck | undefined;
  /** How many schedules are tried, the one without any disturbance included. A positive integer. Default: 100. */
  readonly runs?: number | undefined;
  /** What the schedules are drawn from. An integer. Default: drawn. */
  readonly seed?: number | undefined;
  /** This schedule alone, as a failure names it. Default: none. */
  readonly schedule?: readonly number[] | undefined;
  /** Which faults are drawn. Default: all. */
  readonly faults?: readonly ChaosFault[] | undefined;
  /** Whether the pipeline takes real time, such as for compression. Default: `false`. */
  readonly io?: boolean | undefined;
}

/** A schedule under which something is wrong. */
export interface ChaosFailure {
  /** The smallest that was found: `chaos(fn, { schedule })` runs it. */
  readonly schedule: readonly number[];
  /** The same in words, in order: each disturbance. */
  readonly steps: readonly string[];
  /** What was wrong. */
  readonly problem: string;
  /** What the pipeline was rejected with, if that was wrong. */
  readonly error: unknown;
  /** Lines of code that run the same again. */
  readonly script: string;
}

/** What `chaos` has found. */
export interface ChaosResult {
  /** How many schedules were run before one failed, or all; those that make it smaller are not counted. */
  readonly runs: number;
  /** What the schedules were drawn from; `undefined` where none was drawn. */
  readonly seed: number | undefined;
  /** The first failure, made as small as can be; `undefined` if there was none. */
  readonly failed: ChaosFailure | undefined;
  /** Throws an error with the failure, its steps, its seed and the script that runs it again. */
  throwIfFailed(): void;
}
