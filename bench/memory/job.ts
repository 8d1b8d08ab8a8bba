/** A job in memory: one chunk, again and again, through stages that do nothing, to a counter. */
export interface MemoryJob {
  /** Given every time. */
  readonly chunk: Uint8Array<ArrayBuffer>;
  /** How many times. */
  readonly count: number;
  /** How many stages that do nothing. */
  readonly stages: number;
  /** What the sink does with each chunk. */
  readonly take: (chunk: Uint8Array) => void;
}

/** Runs a job in memory; a contestant is one such function. */
export type RunMemory = (job: MemoryJob) => Promise<void>;
