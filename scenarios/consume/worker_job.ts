/** What a worker process is to do; goes through JSON. */
export interface WorkerJob {
  readonly broker: string;
  readonly store: string;
  readonly maxInFlight: number;
  /** Messages in work, and writes in flight, at a time. */
  readonly concurrency: number;
  readonly batchSize: number;
  /** Threads that work on messages; default: none, the worker does it itself. */
  readonly threads?: number;
  readonly leaseMs: number;
  readonly drainMs: number;
  readonly retryDelayMs: number;
  /** Default: the consumer's own. */
  readonly maxFailures?: number;
  /** What goes wrong, for tests and demonstrations. */
  readonly faults?: WorkerFaults;
}

/** What goes wrong in a worker. */
export interface WorkerFaults {
  /** How long each write takes besides, in milliseconds. */
  readonly writeMs?: number;
  /** Kills the process between the commit of this write, or the next of several messages, and its acknowledgement. */
  readonly killAfterWrite?: number;
  /** Orders that always fail. */
  readonly failAt?: readonly number[];
  /** Whether what is no order fails with reasons that have no text, or too much of it. */
  readonly hasHostileReasons?: boolean;
  /** Orders that kill the process that works on them. */
  readonly killAt?: readonly number[];
}

/** What a worker says of itself, a line of JSON each time. */
export interface WorkerReport {
  readonly inFlight: number;
  readonly acknowledged: number;
  readonly nacked: number;
  readonly failed: number;
  readonly dead: number;
  /** Lines of orders. */
  readonly stored: number;
  readonly repeats: number;
  /** When its first and its last write ended, in milliseconds since 1970. */
  readonly firstWriteAt?: number;
  readonly lastWriteAt?: number;
  /** What is out at this time. */
  readonly outage?: string;
  readonly isLast: boolean;
}
