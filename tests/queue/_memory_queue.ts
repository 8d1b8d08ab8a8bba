import { pipeline, type Transformer } from "@hosepipe/streams";
import {
  Consumer,
  type ConsumerOptions,
  type Delivery,
  messages,
  type Output,
  type QueueDepth,
  type QueueSource,
  type Receipt,
  type ReceiveOptions,
  stored,
  type StoredOptions,
} from "@hosepipe/streams/queue";
import { type ConsumerSettings, Ledger } from "../../src/queue/ledger.ts";
import { until } from "../lib/until.ts";

interface Entry {
  readonly id: string;
  readonly body: string;
  deliveries: number;
  failures: number;
  isolations: number;
  isLeased: boolean;
  heldUntil: number;
}

/** A queue that shows what it was told, and can be made to fail. */
export class MemoryQueue implements QueueSource<string> {
  readonly entries = new Map<string, Entry>();
  readonly acknowledged: string[] = [];
  readonly nacked: string[] = [];
  readonly failed: [id: string, reason: unknown, delayMs: number][] = [];
  readonly dead: [id: string, reason: unknown][] = [];
  /** Messages that were isolated, with how many were leased then. */
  readonly isolated: [id: string, leased: number][] = [];
  readonly isolationDelays: number[] = [];
  extended = 0;
  /** The most that were leased at a time. */
  peak = 0;
  readonly asked: number[] = [];
  readonly askedBytes: (number | undefined)[] = [];
  /** What else a delivery has, by the id of its message. */
  readonly extras = new Map<string, Partial<Delivery<string>>>();
  /** Called before anything is done; what it throws is the answer. */
  fault: (method: string) => void = () => {};
  onAck: (id: string) => void = () => {};

  constructor(bodies: readonly string[] = []) {
    bodies.forEach((body, index) => this.add(`${index}`, body));
  }

  add(id: string, body: string, deliveries = 0, failures = 0, isolations = 0): void {
    const state = { deliveries, failures, isolations, isLeased: false, heldUntil: 0 };
    this.entries.set(id, { id, body, ...state });
  }

  get leased(): number {
    return [...this.entries.values()].filter(({ isLeased }) => isLeased).length;
  }

  async #answer(method: string): Promise<void> {
    // A broker never answers within the turn it is asked in.
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.fault(method);
  }

  open(): Promise<void> {
    return this.#answer("open");
  }

  async receive(max: number, options: ReceiveOptions): Promise<Delivery<string>[]> {
    const { waitMs, maxBytes, signal } = options;
    this.asked.push(max);
    this.askedBytes.push(maxBytes);
    await this.#answer("receive");
    const until = performance.now() + waitMs;
    while (!signal.aborted) {
      const ready = [...this.entries.values()].filter(({ isLeased, heldUntil }) =>
        !isLeased && heldUntil <= performance.now()
      ).slice(0, max);
      for (const entry of ready) {
        entry.isLeased = true;
        entry.deliveries++;
      }
      this.peak = Math.max(this.peak, this.leased);
      if (ready.length > 0 || performance.now() >= until) {
        return ready.map(({ id, body, deliveries, failures, isolations }) => ({
          ...{ id, body, deliveries, failures, isolations },
          receipt: { id },
          ...this.extras.get(id),
        }));
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return [];
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    await this.#answer("ack");
    for (const { id } of receipts) {
      this.onAck(id);
      this.entries.delete(id);
      this.acknowledged.push(id);
    }
  }

  async nack(receipts: readonly Receipt[]): Promise<void> {
    await this.#answer("nack");
    for (const { id } of receipts) {
      const entry = this.entries.get(id)!;
      entry.isLeased = false;
      entry.deliveries--;
      this.nacked.push(id);
    }
  }

  async fail(receipts: readonly Receipt[], reason: unknown, delayMs: number): Promise<void> {
    await this.#answer("fail");
    for (const { id } of receipts) {
      const entry = this.entries.get(id)!;
      entry.isLeased = false;
      entry.failures++;
      entry.heldUntil = performance.now() + delayMs;
      this.failed.push([id, reason, delayMs]);
    }
  }

  async isolate({ id }: Receipt, delayMs: number): Promise<void> {
    await this.#answer("isolate");
    this.isolated.push([id, this.leased]);
    this.isolationDelays.push(delayMs);
  }

  async extend(receipts: readonly Receipt[]): Promise<void> {
    await this.#answer("extend");
    this.extended += receipts.length;
  }

  async deadLetter({ id }: Delivery<string>, reason: unknown): Promise<void> {
    await this.#answer("deadLetter");
    this.entries.delete(id);
    this.dead.push([id, reason]);
  }

  send(bodies: readonly string[]): Promise<void> {
    for (const body of bodies) this.add(crypto.randomUUID(), body);
    return Promise.resolve();
  }

  depth(): Promise<QueueDepth> {
    const { leased } = this;
    return Promise.resolve({
      waiting: this.entries.size - leased,
      leased,
      dead: this.dead.length,
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A consumer of a queue with these bodies. */
export function consumerOf(bodies?: readonly string[], options?: ConsumerOptions) {
  const queue = new MemoryQueue(bodies);
  return { queue, consumer: new Consumer<string>(queue, options) };
}

/** Runs a consumer until its queue is empty. */
export async function workThrough<Value>(
  queue: MemoryQueue,
  consumer: Consumer<string>,
  stage: Transformer<never, Output<Value>>,
  save: (outputs: readonly Output<Value>[]) => unknown,
  options?: StoredOptions,
): Promise<void> {
  const running = pipeline(
    messages(consumer),
    stage as Transformer<unknown, Output<Value>>,
    stored(consumer, save, options),
  );
  await until(() => queue.entries.size === 0);
  consumer.stop();
  await running;
}

export const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index}`);

/** Lets what the queue hands over arrive only once the gate is resolved. */
export function holdReceived(queue: MemoryQueue): PromiseWithResolvers<void> {
  const { receive } = queue;
  const gate = Promise.withResolvers<void>();
  queue.receive = async (max, options) => {
    const deliveries = await receive.call(queue, max, options);
    await gate.promise;
    return deliveries;
  };
  return gate;
}

/** A ledger of a queue's messages that keeps to what is given, and has room for a hundred. */
export function ledgerOf<T = string>(
  queue: MemoryQueue,
  settings: Partial<ConsumerSettings> = {},
): Ledger<T> {
  return new Ledger<T>(queue as unknown as QueueSource<T>, {
    ...{ maxInFlight: 100, leaseMs: 30_000, drainMs: 10_000, maxFailures: 5, retryDelayMs: 1 },
    ...{ maxInFlightBytes: 1_000_000, maxSuspicions: 5, onEvent: undefined },
    ...settings,
  });
}

/** Leases all that a queue has, and admits it. */
export async function admitAll<T>(queue: MemoryQueue, ledger: Ledger<T>) {
  const { signal } = new AbortController();
  const deliveries = await queue.receive(queue.entries.size, { waitMs: 0, signal });
  return deliveries.map((delivery) => ledger.admit(delivery as never));
}
