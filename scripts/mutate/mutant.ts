/** One small change of one file. */
export interface Mutant {
  readonly path: string;
  /** Where it begins, both from 1. */
  readonly line: number;
  readonly column: number;
  /** What is replaced: the text from `start` to `end`. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}
