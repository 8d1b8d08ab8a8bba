import type { BadRowError } from "./bad_row_error.ts";

/** What becomes of a row that cannot be exported. */
export type OnBadRow = "fail" | "skip";

/** Rows that were left out for one reason. */
export interface SkippedReason {
  readonly reason: string;
  readonly count: number;
  /** The first of them. */
  readonly first: string;
}

/** Distinct reasons; there are few, unless a source words each row's differently. */
const mostReasons = 50;

/** Lets bad rows fail the reading, or leaves them out and counts them by their reasons. */
export class SkipCounter {
  readonly #mode: OnBadRow;
  readonly #reasons = new Map<string, { count: number; readonly first: string }>();
  #count = 0;

  constructor(mode: OnBadRow) {
    this.#mode = mode;
  }

  /** How many were left out so far. */
  get count(): number {
    return this.#count;
  }

  /** Why, the first reason first. */
  get reasons(): SkippedReason[] {
    return Array.from(this.#reasons, ([reason, rest]) => ({ reason, ...rest }));
  }

  /** Takes one; bound, so that cursors can be given it. */
  readonly onBadRow = (error: BadRowError): void => {
    if (this.#mode === "fail") throw error;
    this.add([{ reason: error.reason, count: 1, first: error.row }]);
  };

  /** Adds what another has counted. */
  add(reasons: readonly SkippedReason[]): void {
    for (const { reason, count, first } of reasons) {
      this.#count += count;
      const isKnown = this.#reasons.has(reason) || this.#reasons.size < mostReasons;
      const key = isKnown ? reason : "other reasons";
      const known = this.#reasons.get(key);
      if (known === undefined) this.#reasons.set(key, { count, first });
      else known.count += count;
    }
  }
}
