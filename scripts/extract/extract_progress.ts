import type { Period } from "../../scenarios/extract/period.ts";

/** Where progress is shown: a terminal, or something that takes lines. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

function describeSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Shows rows, rows per second, the share of the period that is done and the time left. */
export class ExtractProgress {
  readonly #stream: ProgressStream;
  readonly #period: Period;
  readonly #now: () => number;
  readonly #everyMs: number;
  readonly #startedAtMs: number;
  #shownAtMs: number;
  #isShown = false;

  constructor(stream: ProgressStream, period: Period, now: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#period = period;
    this.#now = now;
    this.#everyMs = stream.isTTY ? 200 : 2_000;
    this.#startedAtMs = this.#shownAtMs = now();
  }

  /** Takes note of the rows so far; shows them if it is time. */
  update(rows: number, lastSentAtMs: number): void {
    const nowMs = this.#now();
    if (nowMs - this.#shownAtMs < this.#everyMs) return;
    this.#shownAtMs = nowMs;
    const { fromMs, toMs } = this.#period;
    const seconds = (nowMs - this.#startedAtMs) / 1000;
    const share = (lastSentAtMs - fromMs) / (toMs - fromMs);
    const line = `${rows} rows, ${Math.round(rows / seconds)} rows/s, ` +
      `${Math.floor(share * 100)} % of the period, ` +
      `${describeSeconds(seconds / share - seconds)} left`;
    this.#stream.write(this.#stream.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
    this.#isShown = true;
  }

  /** Takes the line off a terminal. */
  clear(): void {
    if (this.#isShown && this.#stream.isTTY) this.#stream.write("\r\x1b[2K");
    this.#isShown = false;
  }
}
