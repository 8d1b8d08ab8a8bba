import type { Row } from "../row_batch.ts";
import { compareIds } from "./compare_ids.ts";

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

function isBefore(one: Run, other: Run): boolean {
  const [left, right] = [one.rows[one.at]!, other.rows[other.at]!];
  return left.sentAtMs < right.sentAtMs ||
    (left.sentAtMs === right.sentAtMs && compareIds(left.id, right.id) < 0);
}

/**
 * Puts the messages of conversations in order while conversations come in the order of their
 * beginnings. It holds those that are not over yet, and no more: what was said before the latest of
 * them began can go, since nothing that comes can be earlier.
 */
export class TimeOrder {
  // A binary heap: the run with the earliest row is the first.
  readonly #runs: Run[] = [];

  /** Takes a conversation's rows, which must be in order. */
  add(rows: readonly TimedRow[]): void {
    if (rows.length === 0) return;
    const runs = this.#runs;
    let index = runs.push({ rows, at: 0 }) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(runs[index]!, runs[parent]!)) break;
      [runs[index], runs[parent]] = [runs[parent]!, runs[index]!];
      index = parent;
    }
  }

  /** Gives the rows before `timeMs`, in order. */
  *takeBefore(timeMs: number): Generator<TimedRow> {
    const runs = this.#runs;
    while (runs.length > 0) {
      const first = runs[0]!;
      const row = first.rows[first.at]!;
      if (row.sentAtMs >= timeMs) return;
      if (++first.at === first.rows.length) {
        const last = runs.pop()!;
        if (runs.length > 0) runs[0] = last;
      }
      this.#sink();
      yield row;
    }
  }

  #sink(): void {
    const runs = this.#runs;
    for (let index = 0;;) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < runs.length && isBefore(runs[child]!, runs[least]!)) least = child;
      }
      if (least === index) return;
      [runs[index], runs[least]] = [runs[least]!, runs[index]!];
      index = least;
    }
  }
}
