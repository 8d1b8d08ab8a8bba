/** A change of the code that changes nothing of what it does, as a person has found. */
export interface Equivalent {
  readonly path: string;
  /** The whole line on which it begins, without what stands around it. */
  readonly line: string;
  readonly before: string;
  readonly after: string;
  /** Where on that line, from 1, if `before` stands on it more than once. */
  readonly column?: number;
  readonly reason: string;
}

/** All that are known; one whose line is no longer there is said to be stale by `deno task mutate`. */
export const equivalents: readonly Equivalent[] = [];
