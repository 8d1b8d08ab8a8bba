import type { BenchCase } from "./workload.ts";
import { formatLeft } from "./format_left.ts";

/** Where progress goes: stderr, or a stand-in. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  /** 0 or undefined if the terminal does not say. */
  readonly columns?: number;
  write(text: string): unknown;
}

/** How long cases are expected to take, in milliseconds, going by an earlier run. */
export type Estimate = (benchCase: BenchCase) => number;

/** Between two lines where no one watches a terminal. */
const quietMs = 10_000;

/** One line that is written over itself on a terminal; elsewhere a line every ten seconds. */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #estimate: Estimate | undefined;
  #total: number;
  #expectedMs: number;
  readonly #startedAt = performance.now();
  #saidAt = performance.now();
  #done = 0;
  #expectedDoneMs = 0;

  constructor(
    stream: ProgressStream,
    total: number,
    cases: readonly BenchCase[] = [],
    estimate?: Estimate,
  ) {
    this.#stream = stream;
    this.#total = total;
    this.#estimate = estimate;
    this.#expectedMs = estimate === undefined
      ? 0
      : cases.reduce((sum, one) => sum + estimate(one), 0);
  }

  /** Says which case runs now, and how long the rest will take if it goes on like this. */
  begin(label: string, _benchCase?: BenchCase): void {
    const left = this.#leftMs();
    const line = `${this.#done + 1}/${this.#total} ${label}` +
      (left === undefined ? "" : `, about ${formatLeft(left)} left`);
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\x1b[K${line.slice(0, (this.#stream.columns || 80) - 1)}`);
    } else if (performance.now() - this.#saidAt >= quietMs) {
      this.#saidAt = performance.now();
      this.#stream.write(`${line}\n`);
    }
  }

  #leftMs(): number | undefined {
    const elapsedMs = performance.now() - this.#startedAt;
    if (this.#estimate !== undefined && this.#expectedMs > 0) {
      // The machine's pace counts for more the more it has shown of it.
      const pace = (elapsedMs + 10_000) / (this.#expectedDoneMs + 10_000);
      return Math.max(0, this.#expectedMs - this.#expectedDoneMs) * pace;
    }
    return this.#done < 3 ? undefined : elapsedMs / this.#done * (this.#total - this.#done);
  }

  /** Has more cases to show than it was given. */
  expect(more: number): void {
    this.#total += more;
  }

  /** Counts a case. */
  end(benchCase?: BenchCase): void {
    this.#done++;
    if (benchCase !== undefined) this.#expectedDoneMs += this.#estimate?.(benchCase) ?? 0;
  }

  /** Clears the line. */
  clear(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\x1b[K");
  }
}
