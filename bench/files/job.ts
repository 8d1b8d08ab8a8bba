/** A job on files: one is read from end to end, and written to another or counted. */
export interface FileJob {
  readonly inputPath: string;
  /** Where the copy goes; undefined if each chunk goes to `take`. */
  readonly outputPath: string | undefined;
  readonly take: (chunk: Uint8Array) => void;
}

/** Runs a job on files; a contestant is one such function. */
export type RunFile = (job: FileJob) => Promise<void>;
