import type { BadDocumentError } from "./bad_document_error.ts";

/** What was left out for its shape: how many, and what was wrong with the first of them. */
export interface Skipped {
  readonly count: number;
  readonly first: string | undefined;
}

/** Lets bad documents fail the reading, or leaves them out and counts them. */
export class SkipCounter {
  readonly #mode: "fail" | "skip";
  #count = 0;
  #first: string | undefined;

  constructor(mode: "fail" | "skip") {
    this.#mode = mode;
  }

  /** What was left out so far. */
  get skipped(): Skipped {
    return { count: this.#count, first: this.#first };
  }

  /** Takes one; bound, so that cursors can be given it. */
  readonly onBadDocument = (error: BadDocumentError): void => {
    if (this.#mode === "fail") throw error;
    this.add({ count: 1, first: error.message });
  };

  /** Takes what somebody else has counted. */
  add({ count, first }: Skipped): void {
    this.#count += count;
    this.#first ??= first;
  }
}
