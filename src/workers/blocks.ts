/** Input that is worked on as one stream. */
export interface Block {
  readonly chunks: readonly unknown[];
  /** How many chunks of the input it has; 0 if that is not known. */
  readonly size: number;
}

/** Cuts the input of one stream into blocks. */
export interface Cutter {
  /** Takes a chunk; answers the block that is full with it. */
  add(chunk: unknown): Block | undefined;
  /** What is left, now: at the end, or because a thread has nothing to do. */
  takeRest(isEnd: boolean): Block | undefined;
  /** Given how long a block of so many chunks took. */
  learn(size: number, busyMs: number): void;
}
