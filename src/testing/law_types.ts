import type { Transformer } from "../web_types.ts";

/** A stage that `checkStage` runs: a transformer, a pair of streams, or a function of the stream before it. */
export type CheckedStage =
  | Transformer
  | { readonly readable: ReadableStream; readonly writable: WritableStream }
  // deno-lint-ignore no-explicit-any -- of any chunks
  | ((source: any) => ReadableStream | AsyncIterable<unknown>);

/** What `checkStage` gives the stage and is allowed to leave out. */
export interface CheckStageOptions {
  /** What the stage is given, in order, or what makes it (default: the numbers from 1 to 8). */
  readonly chunks?: readonly unknown[] | (() => readonly unknown[]) | undefined;
  /**
   * What comes out of them, or what comes out of the first of them: then each smaller program is compared, too
   * (default: what comes out of native streams).
   */
  readonly expected?:
    | readonly unknown[]
    | ((chunks: readonly unknown[]) => readonly unknown[])
    | undefined;
  /** Whether two lists of output chunks are the same (default: as many chunks, each with the same content). */
  readonly isSame?:
    | ((actual: readonly unknown[], expected: readonly unknown[]) => boolean)
    | undefined;
  /** Makes a stage whose own code throws `reason` at its first chunk; without it `stageError` is skipped. */
  readonly makeFailing?: ((reason: unknown) => CheckedStage) | undefined;
  /**
   * How many chunks it may take before its output is asked for, beyond the one that a pair of streams takes, and one for each
   * further part of a composition or a fused chain (default: 0).
   */
  readonly readAhead?: number | undefined;
  /** Whether it does real I/O, such as compression in other threads, which takes real time (default: `false`). */
  readonly io?: boolean | undefined;
  /** Laws that do not apply, by name, each with the reason (default: none). */
  readonly skip?: Readonly<Record<string, string>> | undefined;
}

/** A law that does not hold. */
export interface BrokenLaw {
  /** Its name. */
  readonly law: string;
  /** The smallest program that shows it, in words. */
  readonly program: string;
  /** What happened there. */
  readonly problem: string;
}

/** What `checkStage` has found. */
export interface CheckResult {
  /** The names of the laws that hold. */
  readonly held: readonly string[];
  /** The reasons of the laws that were left out, by their names. */
  readonly skipped: Readonly<Record<string, string>>;
  /** The laws that do not hold. */
  readonly failed: readonly BrokenLaw[];
  /** Throws an error with each law that does not hold, and its smallest program. */
  throwIfFailed(): void;
}
