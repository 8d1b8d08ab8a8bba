/** A message that was put among the dead letters. */
export interface DeadLetter<T = unknown> {
  /** The message's id; as it was, if the letter is replayed. */
  readonly id: string;
  /** What was sent; `null` if that is missing. */
  readonly body: T | null;
  /** Why it is dead, in words: at most 8,192 characters. */
  readonly reason: string;
  /** How often it had been handed over. */
  readonly deliveries: number;
  /** How often it had failed before. */
  readonly failures: number;
  /** When it was given up. */
  readonly diedAt: Date;
}

/** Which dead letters are listed. */
export interface DeadLetterListOptions {
  /** How many at most, a positive integer. Default: 100. */
  readonly limit?: number | undefined;
  /** Those behind the letter with this id; default: from the first one on. */
  readonly after?: string | undefined;
}

/** The dead letters of a queue. */
export interface DeadLetters<T = unknown> {
  /** Some of them, the first to die first. */
  list(options?: DeadLetterListOptions): Promise<DeadLetter<T>[]>;
  /** Puts those with these ids, or all, back into the queue as if they had never failed; fulfils with how many. */
  replay(ids?: readonly string[]): Promise<number>;
  /** Deletes those with these ids, or all; fulfils with how many. */
  purge(ids?: readonly string[]): Promise<number>;
}
