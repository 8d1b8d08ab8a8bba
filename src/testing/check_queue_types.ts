import type { QueueSource } from "../queue/queue_source.ts";

/** A queue of text as `checkQueue` needs it: new and empty, seen by two workers. */
export interface CheckedQueue {
  /** As one worker sees it, not yet opened. */
  readonly one: QueueSource<string>;
  /** As another worker sees it, with a client of its own where there are clients; not yet opened. */
  readonly other: QueueSource<string>;
  /** Deletes the queue and makes it again, as another program may while both work; without it `remade` is skipped. */
  readonly remake?: (() => Promise<void>) | undefined;
  /** Called at the end, once both are closed: takes away what was made. */
  readonly end?: (() => Promise<void>) | undefined;
}

/** What `checkQueue` is given besides, and allowed to leave out. */
export interface CheckQueueOptions {
  /** How long a short lease is, in milliseconds, a positive integer (default: 1,000). */
  readonly leaseMs?: number | undefined;
  /** How long a message that must come is waited for, in milliseconds, a positive integer (default: 20,000). */
  readonly timeoutMs?: number | undefined;
  /** Laws that do not apply, by name, each with the reason (default: none). */
  readonly skip?: Readonly<Record<string, string>> | undefined;
}
