/** A part of a run that has been asked for something and has not answered. */
export interface PendingPart {
  /** Which kind of part it is. */
  readonly side: "source" | "stage" | "sink";
  /** Which stage, counted from 1; of a source or a sink nothing. */
  readonly stage: number | undefined;
  /** Which part of the stage, counted from 1, if that is made by `compose` of several. */
  readonly part: number | undefined;
  /** What it is called: `"map(parsePrice)"`, `"merge"`, `"WritableStream"`. */
  readonly name: string;
  /** What has not happened: `"its write 812 has not settled"`. */
  readonly what: string;
}

/** A run that has not ended. */
export interface PendingRun {
  /** Its `runName`, otherwise the function that runs it: `"pipeline"`, `"toArray"` ... */
  readonly pipeline: string;
  /** When it began. */
  readonly startedAt: Date;
  /** For how many milliseconds it has run. */
  readonly ageMs: number;
  /** Chunks that the source has given; nothing of a run that is gone. */
  readonly chunksRead: number | undefined;
  /** Chunks that the sink has taken; nothing of a run that is gone. */
  readonly chunksWritten: number | undefined;
  /**
   * For how many milliseconds at least nothing has moved in it, about: an engine looks at the clock once for up to 128
   * chunks.
   */
  readonly idleMs: number;
  /** The parts that have not answered, the one first for which the others wait; none while it runs. */
  readonly waitsFor: readonly PendingPart[];
  /** Whether nothing can end it any more: what it waited for was collected, and it, too. */
  readonly isGone: boolean;
  /** Where it was called: the file's address and the line, if `callSite` or `captureCallSites` asked for it. */
  readonly callSite: string | undefined;
}
