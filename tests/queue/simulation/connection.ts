import type { Delivery, QueueSource, Receipt, ReceiveOptions } from "@hosepipe/streams/queue";
import type { Broker, History, LeaseReceipt } from "./broker.ts";
import { sleep } from "./virtual_clock.ts";

/** Chance by a seed: the same numbers for the same seed, in every runtime. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Seeds that follow each other must not give numbers that do.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.floor(seed / 2 ** 32);
  }

  /** From 0 up to and without 1, as `Math.random` gives. */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Whether something happens that does so with this probability. */
  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.between(0, values.length - 1)]!;
  }
}

/** How probable it is that a call goes wrong, until faults are over. */
interface Weather {
  lossProbability: number;
  doublingProbability: number;
  /** That a call takes about as long as a lease. */
  latenessProbability: number;
}

/** What a program sees of a broker that cannot be reached. */
export function lostConnection(): Error {
  return Object.assign(new Error("The connection was lost"), { code: "ECONNRESET" });
}

/** A worker's connection to the broker: what is asked and answered may be late, lost or doubled. */
export class Connection implements QueueSource<string> {
  readonly #broker: Broker;
  readonly #worker: number;
  readonly #weather: Weather;
  readonly #random: Random;
  readonly #history: History;
  /** Whether the worker was killed: whatever it asks for does not happen. */
  isCut = false;

  constructor(
    broker: Broker,
    worker: number,
    weather: Weather,
    random: Random,
    history: History,
  ) {
    this.#broker = broker;
    this.#worker = worker;
    this.#weather = weather;
    this.#random = random;
    this.#history = history;
  }

  /** The way there or back. */
  async #travel(): Promise<void> {
    const isLate = this.#random.happens(this.#weather.latenessProbability);
    const { leaseMs } = this.#broker;
    await sleep(this.#random.between(1, isLate ? 2 * leaseMs : 5));
    if (this.isCut || this.#broker.isDown) throw lostConnection();
  }

  async #call(act: () => void): Promise<void> {
    const random = this.#random;
    const { lossProbability, doublingProbability } = this.#weather;
    await this.#travel();
    if (random.happens(lossProbability / 2)) throw lostConnection();
    act();
    if (random.happens(doublingProbability)) {
      // Nothing waits for the second time.
      setTimeout(() => {
        if (!this.#broker.isDown) act();
      }, random.between(1, 2 * this.#broker.leaseMs));
    }
    await this.#travel();
    if (random.happens(lossProbability / 2)) throw lostConnection();
  }

  #settle(receipts: readonly Receipt[], how: string): readonly LeaseReceipt[] {
    const leases = receipts as readonly LeaseReceipt[];
    for (const { id, lease } of leases) this.#note("settling", id, lease, how);
    return leases;
  }

  #note(what: "settling" | "received", id: string, lease: number, detail = ""): void {
    if (!this.isCut) this.#history.note(this.#worker, what, id, detail, lease);
  }

  async open(leaseMs: number): Promise<void> {
    this.#broker.leaseMs = leaseMs;
    await sleep(1);
  }

  async receive(max: number, { waitMs, signal }: ReceiveOptions): Promise<Delivery<string>[]> {
    const random = this.#random;
    await this.#travel();
    if (random.happens(this.#weather.lossProbability / 2)) throw lostConnection();
    const deliveries = await this.#broker.receive(this.#worker, max, waitMs, signal);
    await this.#travel();
    if (random.happens(this.#weather.lossProbability / 2)) throw lostConnection();
    for (const { receipt } of deliveries) {
      const { id, lease } = receipt as LeaseReceipt;
      this.#note("received", id, lease);
    }
    return deliveries;
  }

  ack(receipts: readonly Receipt[]): Promise<void> {
    const leases = this.#settle(receipts, "ack");
    return this.#call(() => this.#broker.ack(this.#worker, leases));
  }

  nack(receipts: readonly Receipt[]): Promise<void> {
    const leases = this.#settle(receipts, "nack");
    return this.#call(() => this.#broker.nack(leases));
  }

  fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    const leases = this.#settle(receipts, "fail");
    return this.#call(() => this.#broker.fail(leases, delayMs));
  }

  isolate(receipt: Receipt, delayMs: number): Promise<void> {
    return this.#call(() => this.#broker.isolate(this.#worker, receipt as LeaseReceipt, delayMs));
  }

  async orphans(): Promise<number> {
    let count = 0;
    await this.#call(() => count = this.#broker.orphans());
    return count;
  }

  extend(receipts: readonly Receipt[]): Promise<void> {
    return this.#call(() => this.#broker.extend(receipts as readonly LeaseReceipt[]));
  }

  deadLetter({ receipt }: Delivery<string>, reason: unknown): Promise<void> {
    const leases = this.#settle([receipt], "dead letter");
    return this.#call(() => this.#broker.deadLetter(this.#worker, leases[0]!, reason));
  }

  send(): Promise<void> {
    throw new Error("Nothing is sent by a worker");
  }

  depth(): Promise<{ waiting: number; leased: number; dead: number }> {
    throw new Error("No worker asks how much there is");
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
