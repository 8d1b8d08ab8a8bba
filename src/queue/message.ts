import type { Delivery } from "./queue_source.ts";

/** A message on its way through a pipeline. */
export interface Message<T = unknown> {
  /** The message's own id, the same at each of its deliveries. */
  readonly id: string;
  /** What was sent; `null` in the event of a dead letter whose body was too large to be read before its turn. */
  readonly body: T;
  /** How often it has been handed over, this time included. */
  readonly deliveries: number;
  /** How often it has failed before. */
  readonly failures: number;
}

/** What is to become of a message: it waits to be begun, is worked on, or is handed back to its queue. */
type Phase = "waiting" | "begun" | "settling" | "settled";

function sizeOf<T>({ bytes, body }: Delivery<T>): number {
  if (bytes !== undefined) return bytes;
  if (typeof body === "string") return body.length;
  return (body as Partial<Uint8Array> | null | undefined)?.byteLength ?? 0;
}

/** A message that a consumer has leased, with the account of its work. */
export class LeasedMessage<T = unknown> implements Message<T> {
  readonly delivery: Delivery<T>;
  /** The ledger that it stands in: a message of another consumer is not ours to settle. */
  readonly ledger: object;
  /** Where it stands among those that have not settled. */
  place = -1;
  phase: Phase = "waiting";
  /** How much of `maxInFlightBytes` it takes. */
  readonly bytes: number;
  /** Outputs that its run has given so far. */
  outputs = 0;
  /** Outputs that have reached the store's side. */
  arrived = 0;
  /** Outputs that are stored. */
  stored = 0;
  /** Whether its run is over, so that no further output comes. */
  isComplete = false;

  constructor(delivery: Delivery<T>, ledger: object) {
    this.delivery = delivery;
    this.ledger = ledger;
    this.bytes = sizeOf(delivery);
  }

  get id(): string {
    return this.delivery.id;
  }

  get body(): T {
    return this.delivery.body;
  }

  get deliveries(): number {
    return this.delivery.deliveries;
  }

  get failures(): number {
    return this.delivery.failures;
  }
}
