/** Where progress goes: stderr, or a stand-in. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  /** 0 or undefined if the terminal does not say. */
  readonly columns?: number;
  write(text: string): unknown;
}

function formatLeft(milliseconds: number): string {
  return milliseconds < 90_000
    ? `${Math.ceil(milliseconds / 1000)} s`
    : `${Math.ceil(milliseconds / 60_000)} min`;
}

/** One line that is written over itself, for people only: on anything but a terminal it is silent. */
export class Progress {
  readonly #stream: ProgressStream;
  #total: number;
  readonly #startedAt = performance.now();
  #done = 0;

  constructor(stream: ProgressStream, total: number) {
    this.#stream = stream;
    this.#total = total;
  }

  /** Says which case runs now, and how long the rest will take if it goes on like this. */
  begin(label: string): void {
    if (!this.#stream.isTTY) return;
    const perCase = (performance.now() - this.#startedAt) / this.#done;
    const left = this.#done < 3
      ? ""
      : `, about ${formatLeft(perCase * (this.#total - this.#done))} left`;
    const line = `${this.#done + 1}/${this.#total} ${label}${left}`;
    this.#stream.write(`\r\x1b[K${line.slice(0, (this.#stream.columns || 80) - 1)}`);
  }

  /** Has more cases to show than it was told of. */
  expect(more: number): void {
    this.#total += more;
  }

  /** Counts a case. */
  end(): void {
    this.#done++;
  }

  /** Clears the line. */
  clear(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\x1b[K");
  }
}
