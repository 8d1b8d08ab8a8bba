import type { DeadLetter, LoadRecord } from "./load_record.ts";

/** A table that takes rows in one transaction. */
export interface LoadTarget {
  /** For messages to people. */
  readonly name: string;
  readonly columns: ReadonlySet<string>;
  /** How many of the rows taken are not in the table itself: where they are is known to its triggers alone. */
  readonly diverted: number;
  /** Takes rows that have the same columns, all of them the table's; returns those that it does not take, so far. */
  add(rows: readonly LoadRecord[]): Promise<readonly DeadLetter[]>;
  /** Takes the rows that wait for others which they refer to; returns those that it does not take. */
  finish(): Promise<readonly DeadLetter[]>;
  /**
   * Makes them last.
   *
   * @throws {UnknownCommitError} If it is not known whether they do.
   */
  commit(): Promise<void>;
  /** Ends without a trace of the rows, unless they are committed. */
  close(): Promise<void>;
}
