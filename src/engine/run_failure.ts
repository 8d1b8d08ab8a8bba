/** Where a run has failed. */
export interface RunFailure {
  /** Its `runName`, otherwise the function that ran it: `"pipeline"`, `"toArray"`, `"fuse"`, `"perMessage"` ... */
  readonly pipeline: string;
  /** Which kind of part has failed. */
  readonly side: "source" | "stage" | "sink";
  /** Which stage has failed, counted from 1; of a source or a sink nothing. */
  readonly stage: number | undefined;
  /** How many stages there are. */
  readonly stageCount: number;
  /** Which part of the stage, counted from 1, if that is made by `compose` of several. */
  readonly part: number | undefined;
  /** What the part is called: `"map(parsePrice)"`, `"source 2 of merge"`, `"WritableStream"`. */
  readonly name: string;
  /** Which of the chunks that it was given it has failed with, counted from 0; nothing where it was none, or is not known. */
  readonly chunkIndex: number | undefined;
  /** Chunks that the source had given; nothing of native streams. */
  readonly chunksRead: number | undefined;
  /** Chunks that the sink had taken; nothing of native streams. */
  readonly chunksWritten: number | undefined;
  /** When the run began; nothing of native streams. */
  readonly startedAt: Date | undefined;
  /** Where it was called: the file's address and the line, if `callSite` or `captureCallSites` asked for it. */
  readonly callSite: string | undefined;
}

/** How a run was called. */
export interface RunCall {
  /** What it says that it cannot do: "run pipeline". */
  readonly action: string;
  /** What the user calls it. */
  readonly name?: string | undefined;
  readonly source?: unknown;
  readonly stages: readonly unknown[];
  readonly sink?: unknown;
  /** How many of the stages are the user's: the others are what an end is made of. */
  readonly stageCount?: number | undefined;
  /** Reads where it was called. */
  readonly readCallSite?: (() => string | undefined) | undefined;
  /** Its ends, once it runs. */
  input?: { readonly chunksRead: number };
  output?: { readonly chunksWritten: number; readonly failedIndex: number | undefined };
  startedAtMs?: number;
}

/** The function that runs it: "pipeline", "toArray". */
export function functionOfCall({ action }: RunCall): string {
  return action.replace("run ", "");
}

/** What a run is called: by its user, otherwise by the function. */
export function nameOfCall(call: RunCall): string {
  return call.name ?? functionOfCall(call);
}

/** A row of stages of a call. Stages are counted with compositions taken apart. */
export interface RunPlace {
  readonly call: RunCall;
  /** How many stages stand before it; the last of them is a pair of streams. */
  readonly from: number;
  /** How many stages stand before the pair behind it, if there is one. */
  readonly pairAt?: number | undefined;
}
