/** A row that cannot be exported as it is. */
export class BadRowError extends Error {
  override name = "BadRowError";
  /** Which one, such as `row id=3`. */
  readonly row: string;
  /** What is wrong with it, the same words for all that have it. */
  readonly reason: string;

  constructor(row: string, reason: string) {
    super(`${row}: ${reason}`);
    this.row = row;
    this.reason = reason;
  }
}
