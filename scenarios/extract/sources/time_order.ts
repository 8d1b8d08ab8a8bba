import { BinaryHeap } from "@std/data-structures";
import type { Row } from "../source.ts";
import { compareIds } from "./mongodb_client.ts";

/** A condition of MongoDB: a field holds no time, or several. */
export function isTimeMissing(field: string): Record<string, unknown> {
  return { $or: [{ [field]: { $not: { $type: "date" } } }, { [field]: { $type: "array" } }] };
}

/** What is wrong with a value that should be a time, the same words for all like it. */
export function timeProblem(field: string, value: unknown): string {
  if (value === undefined) return `${field} is missing, so that it has no place in time`;
  if (value === null) return `${field} is null, so that it has no place in time`;
  if (value instanceof Date) return `${field} is a date out of range`;
  const kind = Array.isArray(value)
    ? "an array"
    : typeof value === "string"
    ? "text"
    : typeof value === "object"
    ? "an object"
    : "a number";
  return `${field} is ${kind}, not a date`;
}

/** A message, and what its place among others is decided by. */
export interface TimedRow {
  readonly sentAtMs: number;
  readonly id: unknown;
  readonly row: Row;
}

interface Run {
  readonly rows: readonly TimedRow[];
  at: number;
}

function compareRuns(one: Run, other: Run): number {
  const [left, right] = [one.rows[one.at]!, other.rows[other.at]!];
  return left.sentAtMs - right.sentAtMs || compareIds(left.id, right.id);
}

/**
 * Puts the messages of conversations in order while conversations come in the order of their
 * beginnings. It holds those that are not over yet, and no more: what was said before the latest of
 * them began can go, since nothing that comes can be earlier.
 */
export class TimeOrder {
  /** The run with the earliest row is the first. */
  readonly #runs = new BinaryHeap<Run>(compareRuns);

  /** Takes a conversation's rows, which must be in order. */
  add(rows: readonly TimedRow[]): void {
    if (rows.length > 0) this.#runs.push({ rows, at: 0 });
  }

  /** Gives the rows before `timeMs`, in order. */
  *takeBefore(timeMs: number): Generator<TimedRow> {
    for (
      let first: Run | undefined = this.#runs.peek();
      first !== undefined;
      first = this.#runs.peek()
    ) {
      const row = first.rows[first.at]!;
      if (row.sentAtMs >= timeMs) return;
      // Another place in it is another place among the others.
      this.#runs.pop();
      if (++first.at < first.rows.length) this.#runs.push(first);
      yield row;
    }
  }
}
