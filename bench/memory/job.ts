/** A job in memory: one chunk, again and again, through stages that do nothing, to a counter. */
export interface MemoryJob {
  /** Given every time; ASCII if it is a string, so that its length is its bytes. */
  readonly chunk: Uint8Array<ArrayBuffer> | string;
  /** How many times. */
  readonly count: number;
  /** Whether buffers count chunks, and not bytes. */
  readonly isObjectMode: boolean;
  /** Of every buffer, in bytes or chunks by `isObjectMode`; undefined where the API is to decide. */
  readonly highWaterMark: number | undefined;
  /** How many stages that do nothing. */
  readonly stages: number;
  /** What the sink does with each chunk. */
  readonly take: (chunk: Uint8Array | string) => void;
}

/** Runs a job in memory; a contestant is one such function. */
export type RunMemory = (job: MemoryJob) => Promise<void>;
