/** One synchronous read in so many lets others have their turn first. */
const turn = 8;

/** With more files than that open each read does: all together must not keep the event loop for long. */
const mostReaders = 8;

/** A synchronous read that took longer has met the disk, and not the system's memory. */
const slowMs = 2;

/**
 * How the next read of a file is done: `wait` reads asynchronously, `go` synchronously, and `yield` so too,
 * but after a turn of the event loop.
 */
export type ReadStep = "wait" | "go" | "yield";

/**
 * Tells which reads of a file may be synchronous. What the system holds in memory, as it mostly does of a
 * file that is read from front to back, is read in less time than it takes to ask another thread for it.
 */
export class ReadPace {
  // Nothing has been read ahead of the first read.
  #waits = 1;
  #waitsWhenSlow = turn;
  #reads = 0;

  /** Decides about the next read, while so many files are open. */
  next(readers = 1): ReadStep {
    if (this.#waits > 0) {
      this.#waits--;
      return "wait";
    }
    return ++this.#reads % turn === 0 || readers > mostReaders ? "yield" : "go";
  }

  /** Records how long a synchronous read took; each slow one doubles what is read asynchronously after it. */
  note(elapsedMs: number): void {
    if (elapsedMs <= slowMs) return;
    this.#waits = this.#waitsWhenSlow;
    this.#waitsWhenSlow *= 2;
  }
}
