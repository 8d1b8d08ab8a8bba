import type { Transformer, UnderlyingSink } from "../web_types.ts";

/** What a source reads from while it is checked. */
export interface WatchedReads {
  /** Gives the next chunk; the laws make it slow, stall or fail. */
  read(): Promise<IteratorResult<unknown, undefined>>;
  /** Ends it early; what `read` still waits for is then done. */
  cancel(reason?: unknown): Promise<void>;
}

/** What a sink writes to while it is checked. */
export interface WatchedWrites {
  /** Writes a chunk; the laws make it slow, hang or fail. */
  write(chunk: unknown): Promise<void>;
  /** Ends it after the last chunk. */
  close(): Promise<void>;
  /** Ends it early. */
  abort(reason?: unknown): Promise<void>;
}

/** What `makeSource` and `makeSink` are given. */
export interface MadeFrom<Underlying> {
  /** Aborts with the run. */
  readonly signal: AbortSignal;
  /** What it may stand on. Without it, laws of what happens below are skipped. */
  readonly underlying: Underlying;
}

/** A source that `checkSource` runs: a stream, an underlying source, or something to iterate over, such as a Node stream. */
export type CheckedSource =
  | ReadableStream
  | {
    readonly type?: "bytes" | undefined;
    // deno-lint-ignore no-explicit-any -- of either kind of source
    readonly start?: (controller: any) => unknown;
    // deno-lint-ignore no-explicit-any -- of either kind of source
    readonly pull?: (controller: any) => unknown;
    // deno-lint-ignore no-explicit-any -- whatever it is
    readonly cancel?: (reason?: any) => unknown;
  }
  | Iterable<unknown>
  | AsyncIterable<unknown>;

/** A sink that `checkSink` runs: a stream, an underlying sink, or a function that is given each chunk. */
export type CheckedSink =
  | WritableStream
  | UnderlyingSink
  // deno-lint-ignore no-explicit-any -- of any chunks
  | ((chunk: any) => unknown);

/** What `checkSource` gives the source and is allowed to leave out. */
export interface CheckSourceOptions
  extends Pick<CheckStageOptions, "chunks" | "expected" | "isSame" | "readAhead" | "io" | "skip"> {
  /** Makes a source that fails with `reason` by itself; without it `ownError` is skipped. */
  readonly makeFailing?:
    | ((reason: unknown, context: MadeFrom<WatchedReads>) => CheckedSource)
    | undefined;
}

/** What `checkSink` gives the sink and is allowed to leave out. */
export interface CheckSinkOptions
  extends Pick<CheckStageOptions, "chunks" | "expected" | "isSame" | "io" | "skip"> {
  /** How many chunks it may take before they are written, beyond the one that a sink takes (default: 0). */
  readonly writeAhead?: number | undefined;
  /** Reads what a sink has written, for one that writes elsewhere than to `underlying`. */
  readonly written?:
    | ((sink: CheckedSink) => readonly unknown[] | PromiseLike<readonly unknown[]>)
    | undefined;
  /** Makes a sink that fails with `reason` by itself at its first chunk; without it `ownError` is skipped. */
  readonly makeFailing?:
    | ((reason: unknown, context: MadeFrom<WatchedWrites>) => CheckedSink)
    | undefined;
}

/** What laws have come to. */
export class LawResult implements CheckResult {
  readonly held: readonly string[];
  readonly skipped: Readonly<Record<string, string>>;
  readonly failed: readonly BrokenLaw[];
  readonly #subject: string;

  constructor(
    subject: string,
    held: readonly string[],
    skipped: Readonly<Record<string, string>>,
    failed: readonly BrokenLaw[],
  ) {
    this.#subject = subject;
    this.held = held;
    this.skipped = skipped;
    this.failed = failed;
  }

  throwIfFailed(): void {
    const { failed } = this;
    if (failed.length === 0) return;
    const count = failed.length === 1 ? "a law" : `${failed.length} laws`;
    const lines = failed.map(({ law, program, problem }) => `  ${law}: ${problem}\n    ${program}`);
    throw new Error([`The ${this.#subject} breaks ${count}`, ...lines].join("\n"));
  }
}

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
