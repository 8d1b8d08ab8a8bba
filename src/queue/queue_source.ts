/** How messages are sent. What an adapter cannot do is an error that says so. */
export interface SendOptions {
  /**
   * The messages' own ids, one for each body, none of them empty: what `Message.id` is then, and the first part of the
   * outputs' keys. A message whose id is still in the queue is not added again; one that comes later is absorbed by
   * its key in the store. Default: ids that the queue makes.
   */
  readonly ids?: readonly string[] | undefined;
  /**
   * For how long, in milliseconds from the first time, a message with the same id is not added again, even if the first
   * was acknowledged meanwhile; a positive integer, with `ids`. Default: for as long as it is in the queue.
   */
  readonly rememberMs?: number | undefined;
  /**
   * One for each body, `undefined` for none: of the messages with one key only the first is handed over, until it is
   * acknowledged or dead, so that they are worked on one by one and in order, failures included. Default: no order.
   */
  readonly keys?: readonly (string | undefined)[] | undefined;
  /** Before this time they are not handed over. Default: at once. */
  readonly notBefore?: Date | undefined;
}

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

/** What a queue needs to know again which delivery is meant; whatever else an adapter puts in is its own. */
export interface Receipt {
  /** The id of the message. */
  readonly id: string;
}

/** A message as a queue hands it over: leased, until it is settled or its lease runs out. */
export interface Delivery<T = unknown> {
  /** The message's own id: the same at each of its deliveries, and never that of another message. */
  readonly id: string;
  /** What was sent; not there yet, and `null`, if there is a `load`. */
  readonly body: T;
  /**
   * Reads a body that was left out because it is large, and so may be what kills its workers. Called before the
   * message is begun, and again if it rejects. Fulfils with `false` if the message is gone, or another worker's.
   */
  readonly load?: (() => Promise<boolean>) | undefined;
  /** How large a body is that was left out, in bytes. */
  readonly bytes?: number | undefined;
  /** Why the body is not what was sent, or is missing: the message becomes a dead letter with this reason. */
  readonly flaw?: { readonly reason: unknown } | undefined;
  /** Names this delivery to the queue. */
  readonly receipt: Receipt;
  /** How often it has been handed over, this time included; deliveries that were given back do not count. */
  readonly deliveries: number;
  /** How often it has been reported as failed. */
  readonly failures: number;
  /** How often a worker has begun it by itself, as `isolate` says, and come to no end with it. */
  readonly isolations: number;
}

/** How many messages a queue has. */
export interface QueueDepth {
  /** Neither leased nor dead; those that wait out a delay are among them. */
  readonly waiting: number;
  /** Handed over, and not settled. */
  readonly leased: number;
  /** Dead letters. */
  readonly dead: number;
}

/** What a queue reports to its `Consumer`. */
export interface OpenOptions {
  /** Called when the queue was deleted and made again: what was received before is gone, and new ids are others. */
  readonly onReplaced?: (() => void) | undefined;
}

/** How a `Consumer` asks a queue for messages. */
export interface ReceiveOptions {
  /**
   * How large the bodies may be together, in bytes: from the first that goes beyond it on, messages are left in the
   * queue, but for the first of all. Default: no limit.
   */
  readonly maxBytes?: number | undefined;
  /** How long to wait for the first message, in milliseconds; with none by then the answer is an empty array. */
  readonly waitMs: number;
  /** Ends the wait at once, with an empty array; what has arrived by then must be answered, or given back. */
  readonly signal: AbortSignal;
}

/**
 * A queue as a `Consumer` uses it, one adapter for each kind. What rejects is tried again, so that each method must
 * bear being called twice with the same receipts. A receipt whose lease has run out is not an error.
 */
export interface QueueSource<T = unknown> {
  /**
   * Called once before anything is received: makes sure that the queue is there, and that it hands messages out for
   * `leaseMs` milliseconds. What it rejects with is the pipeline's failure, and is not tried again.
   */
  open(leaseMs: number, options?: OpenOptions): Promise<void>;
  /** Leases up to `max` messages. */
  receive(max: number, options: ReceiveOptions): Promise<Delivery<T>[]>;
  /** Takes messages off the queue: their work is done. Those of a queue that was replaced since are gone already. */
  ack(receipts: readonly Receipt[]): Promise<void>;
  /** Makes messages available again at once, with their deliveries and isolations as they were before. */
  nack(receipts: readonly Receipt[]): Promise<void>;
  /** Counts one failure more of each message, durably, forgets its isolations, and makes it available after a delay. */
  fail(receipts: readonly Receipt[], reason: unknown, delayMs: number): Promise<void>;
  /**
   * Counts, durably, that a message is worked on by itself now; called once for a delivery. Should its worker die, the
   * message is not handed over before `delayMs` milliseconds have passed besides the lease.
   */
  isolate(receipt: Receipt, delayMs: number): Promise<void>;
  /**
   * Counts the messages that a worker was handed and came to no end with, as when it has died, as far as is known; not
   * those under their first lease, nor those that were isolated more than once. Asked before a message is found to
   * kill its workers: with orphans, something else may. Without this method a worker goes by what it was handed.
   */
  orphans?(): Promise<number>;
  /** Renews leases. */
  extend(receipts: readonly Receipt[]): Promise<void>;
  /** Puts a message among the dead letters, with the reason, and takes it off the queue. */
  deadLetter(delivery: Delivery<T>, reason: unknown): Promise<void>;
  /**
   * Adds messages, in order; rejects with a `TypeError` what could not be handed over as it was sent, and options that
   * it cannot keep.
   */
  send(bodies: readonly T[], options?: SendOptions): Promise<void>;
  /** Counts what there is. */
  depth(): Promise<QueueDepth>;
  /** Releases what the adapter holds; the client it was given stays open. */
  close(): Promise<void>;
}
