/** Where a chain's chunks come from. */
export interface Input {
  /** Asks for the next chunk, which the input gives with `chain.feed`; tells whether it did so at once. */
  take(): boolean;
  /** Tells that no chunk is wanted any more. */
  stop(reason: unknown): void;
  /** Tells that the first stage has flushed. */
  finish(): void;
}

/** Where a chain's chunks go. */
export interface Output {
  /** Whether the last stage may run. */
  hasRoom(): boolean;
  /** What the last stage's controller says its desiredSize is. */
  desiredSize(): number;
  /** Whether each chunk must be measured the moment it is enqueued. */
  readonly measures: boolean;
  /** Takes one chunk; throws if it cannot be measured. */
  writeOne(chunk: unknown): void;
  /** Takes the first `count` chunks, all of them; throws if one cannot be measured. */
  write(chunks: readonly unknown[], count: number): void;
  end(): void;
  fail(reason: unknown): void;
}

/** How a chain divides its work. */
export interface Turn {
  /** How many chunks may walk together. */
  readonly sliceSize: number;
  /** Told how many chunks have walked; answers whether the event loop must have its turn. */
  isOver(walkedCount: number): boolean;
}
