import process from "node:process";
import type { BenchCase } from "./workload.ts";

/** Writes how long something will take, in whole seconds or minutes. */
export function formatLeft(milliseconds: number): string {
  return milliseconds < 90_000
    ? `${Math.ceil(milliseconds / 1000)} s`
    : `${Math.ceil(milliseconds / 60_000)} min`;
}

/** How long cases are expected to take, in milliseconds, going by an earlier run. */
export type Estimate = (benchCase: BenchCase) => number;

/** Between two lines where no one watches a terminal. */
const quietMs = 10_000;

/** One line of standard error that is written over itself on a terminal; elsewhere a line every ten seconds. */
export class Progress {
  readonly #estimate: Estimate;
  #total: number;
  #expectedMs: number;
  readonly #startedAt = performance.now();
  #saidAt = performance.now();
  #done = 0;
  #expectedDoneMs = 0;

  constructor(cases: readonly BenchCase[], estimate: Estimate) {
    this.#total = cases.length;
    this.#estimate = estimate;
    this.#expectedMs = cases.reduce((sum, one) => sum + estimate(one), 0);
  }

  /** Says which case runs now, and how long the rest will take if it goes on like this. */
  begin(label: string): void {
    // The machine's pace counts for more the more it has shown of it.
    const elapsedMs = performance.now() - this.#startedAt;
    const pace = (elapsedMs + 10_000) / (this.#expectedDoneMs + 10_000);
    const leftMs = Math.max(0, this.#expectedMs - this.#expectedDoneMs) * pace;
    const line = `${this.#done + 1}/${this.#total} ${label}, about ${formatLeft(leftMs)} left`;
    if (process.stderr.isTTY) {
      process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
    } else if (performance.now() - this.#saidAt >= quietMs) {
      this.#saidAt = performance.now();
      process.stderr.write(`${line}\n`);
    }
  }

  /** Has more cases to show than it was given. */
  expect(more: number): void {
    this.#total += more;
  }

  /** Counts a case. */
  end(benchCase: BenchCase): void {
    this.#done++;
    this.#expectedDoneMs += this.#estimate(benchCase);
  }

  /** Clears the line. */
  clear(): void {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  }
}
