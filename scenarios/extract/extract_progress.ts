/** Where progress is shown: a terminal, or something that takes lines. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What tells how far reading is: the span that is read, or how many rows there are; neither may be known. */
export interface ProgressSpan {
  readonly span?: { readonly from: number; readonly to: number } | undefined;
  readonly expectedRows?: number | undefined;
}

function describeSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  const whole = Math.ceil(Math.max(0, seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function describeBytes(bytes: number): string {
  return bytes < 2 ** 20
    ? `${Math.round(bytes / 1024)} KiB`
    : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** Shows rows, bytes, rows per second, the share that is done and the time left. */
export class ExtractProgress {
  readonly #stream: ProgressStream;
  readonly #whole: ProgressSpan;
  readonly #now: () => number;
  readonly #everyMs: number;
  readonly #startedAtMs: number;
  #shownAtMs: number;
  #isShown = false;

  constructor(
    stream: ProgressStream,
    whole: ProgressSpan,
    now: () => number = () => performance.now(),
  ) {
    this.#stream = stream;
    this.#whole = whole;
    this.#now = now;
    this.#everyMs = stream.isTTY ? 200 : 2_000;
    this.#startedAtMs = this.#shownAtMs = now();
  }

  /** Takes note of the rows and bytes so far, and where the last row lies; shows them if it is time. */
  update(rows: number, bytes: number, at: number | undefined): void {
    const nowMs = this.#now();
    if (nowMs - this.#shownAtMs < this.#everyMs) return;
    this.#shownAtMs = nowMs;
    const seconds = (nowMs - this.#startedAtMs) / 1000;
    const share = this.#shareOf(rows, at);
    const line = [
      ...[`${rows} rows`, describeBytes(bytes), `${Math.round(rows / seconds)} rows/s`],
      ...(share === undefined
        ? []
        : [`${Math.floor(share * 100)} %`, `${describeSeconds(seconds / share - seconds)} left`]),
    ].join(", ");
    this.#stream.write(this.#stream.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
    this.#isShown = true;
  }

  /** Takes the line off a terminal. */
  clear(): void {
    if (this.#isShown && this.#stream.isTTY) this.#stream.write("\r\x1b[2K");
    this.#isShown = false;
  }

  #shareOf(rows: number, at: number | undefined): number | undefined {
    const { span, expectedRows } = this.#whole;
    if (span !== undefined && at !== undefined) return (at - span.from) / (span.to - span.from);
    return expectedRows === undefined ? undefined : Math.min(1, rows / expectedRows);
  }
}
