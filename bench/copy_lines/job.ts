/** One run of the job: read a text file, write another. */
export interface CopyLinesJob {
  readonly inputPath: string;
  readonly outputPath: string;
  /** How many do-nothing stages the lines pass before they are written. */
  readonly passes: number;
}

/** Does the job; resolves with the number of lines read once the output is written and closed. */
export type CopyLines = (job: CopyLinesJob) => Promise<number>;
