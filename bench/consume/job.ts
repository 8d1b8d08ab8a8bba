import type { QueueSource } from "../../src/queue/mod.ts";

/** A message as a store is given it. */
export interface StoredMessage {
  readonly key: string;
  readonly value: number;
}

/** Every message of a queue, worked on and stored. */
export interface ConsumeJob {
  readonly count: number;
  /** How many are stored at a time. */
  readonly batchSize: number;
  /** How many may be leased at a time. */
  readonly maxInFlight: number;
  readonly queue: QueueSource<string>;
  /** The work: what is stored of a message. */
  readonly work: (body: string) => number;
  readonly save: (messages: readonly StoredMessage[]) => void;
  /** The loop by pass on the client that the queue is on; ends once all are acknowledged. */
  readonly byHand: () => Promise<void>;
  /** The loop that is called for each message, where the client has one. */
  readonly byMessage?: (() => Promise<void>) | undefined;
}

/** Does the job; a contestant is one such function. */
export type RunConsumeJob = (job: ConsumeJob) => Promise<void>;
