import type { Delivery, QueueSource, Receipt, ReceiveOptions } from "@hosepipe/streams/queue";
import { sleep } from "./virtual_clock.ts";

/** What becomes of a message: some fail always or twice, or are refused by the store. */
export type Kind = "plain" | "double" | "none" | "poison" | "moody" | "refused";

/** How many rows a message of a kind leaves in the store. */
export const rowsOf: Readonly<Record<Kind, number>> = {
  plain: 1,
  double: 2,
  none: 0,
  poison: 0,
  moody: 1,
  refused: 0,
};

/** Who did what: a worker's number, or 0 for what comes from outside. */
export interface HistoryEvent {
  readonly atMs: number;
  readonly worker: number;
  /**
   * "sent", "killed", "ended" and "fault" say it themselves. The broker: "leased", "isolated", "acknowledged", "dead"
   * are what it did. The worker: "received", "begun" and "settling" (it asks for an end), "saving". The store: "row".
   */
  readonly what:
    | ("sent" | "leased" | "received" | "begun" | "saving" | "row" | "settling")
    | ("isolated" | "acknowledged" | "dead" | "killed" | "ended" | "fault");
  readonly id: string;
  /** Which lease of the message it is about; 0 is none. */
  readonly lease: number;
  readonly detail: string;
}

/** What has happened, in order. */
export class History {
  readonly events: HistoryEvent[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(worker: number, what: HistoryEvent["what"], id = "", detail = "", lease = 0): void {
    this.events.push({ atMs: this.#now(), worker, what, id, detail, lease });
  }

  /** One line for each event. */
  toString(): string {
    return this.events.map(({ atMs, worker, what, id, detail, lease }) => {
      const who = worker === 0 ? "outside" : `worker ${worker}`;
      const of = lease === 0 ? "" : `, lease ${lease}`;
      const head = `${String(Math.round(atMs)).padStart(8)} ms  ${who.padEnd(9)}`;
      return `${head} ${what} ${id} ${detail}`.trimEnd() + of;
    }).join("\n");
  }
}

interface Entry {
  readonly id: string;
  /** How many were sent before it. */
  readonly number: number;
  readonly kind: Kind;
  readonly key: string | undefined;
  deliveries: number;
  failures: number;
  isolations: number;
  /** Which lease it is under; 0 is none. */
  lease: number;
  isolatedLease: number;
  /** Until when it is another's, or waits. */
  heldUntilMs: number;
}

/** Which lease of a message is meant. */
export interface LeaseReceipt extends Receipt {
  readonly lease: number;
}

/** What brokers have in common: what they hold, a clock that may be wrong, and the history of all. */
export abstract class SimulatedBroker<Held> {
  readonly entries = new Map<string, Held>();
  protected readonly history: History;
  protected readonly now: () => number;
  protected readonly random: Random;
  /** By how much its clock is wrong. */
  #offsetMs = 0;
  leaseMs = 1_000;
  protected lastLease = 0;
  /** Whether it keeps the order of each key. */
  keepsOrder = true;
  /** Whether it takes a message off only for who has its lease; the work is done in any case. */
  refusesOldLeases = true;
  isDown = false;

  constructor(history: History, now: () => number, random: Random) {
    this.history = history;
    this.now = now;
    this.random = random;
  }

  protected get nowMs(): number {
    return this.now() + this.#offsetMs;
  }

  stepClock(ms: number): void {
    this.#offsetMs += ms;
  }
}

/** A broker that keeps its word: what is lost, doubled or late is the work of the connection to it. */
export class Broker extends SimulatedBroker<Entry> {
  /** The messages of each key, in order: only the first may be handed over. */
  readonly #lanes = new Map<string, Set<Entry>>();
  /** What may be handed over, in order, unless that has changed since: a lease takes no longer with more messages. */
  readonly #ready: Entry[] = [];
  /** Calls that wait for messages, each of which looks for some. */
  readonly #waiting = new Set<() => void>();
  #sent = 0;

  /** A worker's connection to it. */
  connect(worker: number, weather: Weather): { connection: Wire; queue: QueueSource<string> } {
    const connection = new Connection(this, worker, weather, this.random, this.history);
    return { connection, queue: connection };
  }

  send(id: string, kind: Kind, key: string | undefined): void {
    const counts = { deliveries: 0, failures: 0, isolations: 0 };
    const held = { lease: 0, isolatedLease: 0, heldUntilMs: -Infinity };
    const entry: Entry = { id, number: this.#sent++, kind, key, ...counts, ...held };
    this.entries.set(id, entry);
    if (key !== undefined) this.#lanes.set(key, (this.#lanes.get(key) ?? new Set()).add(entry));
    this.history.note(0, "sent", id, key === undefined ? kind : `${kind}, key ${key}`);
    this.#offer(entry);
  }

  /** Whether no message of its key comes before it. */
  isFirst({ id, key }: { readonly id: string; readonly key: string | undefined }): boolean {
    if (key === undefined || !this.keepsOrder) return true;
    const [first] = this.#lanes.get(key)!;
    return first?.id === id;
  }

  override stepClock(ms: number): void {
    super.stepClock(ms);
    for (const entry of this.entries.values()) this.#offer(entry);
  }

  /** A broker that remembers no leases hands everything out again. */
  restart(forgetsLeases: boolean): void {
    this.isDown = false;
    for (const entry of this.entries.values()) {
      if (forgetsLeases && entry.lease !== 0) this.#release(entry, 0);
      else this.#offer(entry);
    }
  }

  receive(
    worker: number,
    max: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<Delivery<string>[]> {
    return new Promise((resolve) => {
      const end = (deliveries: Delivery<string>[]) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        this.#waiting.delete(look);
        resolve(deliveries);
      };
      const look = () => {
        const deliveries = this.#lease(worker, max);
        if (deliveries.length > 0) end(deliveries);
      };
      const stop = () => end([]);
      const timer = setTimeout(stop, waitMs);
      signal.addEventListener("abort", stop);
      this.#waiting.add(look);
      if (signal.aborted || this.isDown) stop();
      else look();
    });
  }

  ack(worker: number, receipts: readonly LeaseReceipt[]): void {
    for (const { id, lease } of receipts) {
      const entry = this.entries.get(id);
      if (entry === undefined || (this.refusesOldLeases && entry.lease !== lease)) continue;
      this.#remove(entry);
      this.history.note(worker, "acknowledged", id);
    }
  }

  nack(receipts: readonly LeaseReceipt[]): void {
    for (const entry of this.#current(receipts)) {
      entry.deliveries--;
      if (entry.isolatedLease === entry.lease) entry.isolations--;
      this.#release(entry, 0);
    }
  }

  fail(receipts: readonly LeaseReceipt[], delayMs: number): void {
    for (const entry of this.#current(receipts)) {
      entry.failures++;
      entry.isolations = 0;
      this.#release(entry, delayMs);
    }
  }

  isolate(worker: number, receipt: LeaseReceipt, delayMs: number): void {
    for (const entry of this.#current([receipt])) {
      if (entry.isolatedLease === entry.lease) continue;
      entry.isolations++;
      entry.isolatedLease = entry.lease;
      entry.heldUntilMs += delayMs;
      this.history.note(worker, "isolated", entry.id);
    }
  }

  orphans(): number {
    let count = 0;
    for (const { deliveries, failures, isolations, lease, heldUntilMs } of this.entries.values()) {
      const isHeld = lease !== 0 && heldUntilMs > this.nowMs;
      if (isolations <= 1 && deliveries - failures > (isHeld ? 1 : 0)) count++;
    }
    return count;
  }

  extend(receipts: readonly LeaseReceipt[]): void {
    for (const entry of this.#current(receipts)) {
      entry.heldUntilMs = Math.max(entry.heldUntilMs, this.nowMs + this.leaseMs);
    }
  }

  deadLetter(worker: number, receipt: LeaseReceipt, reason: unknown): void {
    for (const entry of this.#current([receipt])) {
      this.#remove(entry);
      this.history.note(worker, "dead", entry.id, (reason as Error).message);
    }
  }

  #lease(worker: number, max: number): Delivery<string>[] {
    const found: Delivery<string>[] = [];
    while (found.length < max && this.#ready.length > 0) {
      const entry = this.#ready.shift()!;
      // It was extended late, or is here twice.
      const isHeld = entry.heldUntilMs > this.nowMs;
      if (isHeld) this.#offer(entry);
      if (isHeld || !this.#isThere(entry)) continue;
      entry.lease = ++this.lastLease;
      entry.heldUntilMs = this.nowMs + this.leaseMs;
      entry.deliveries++;
      this.#offer(entry);
      const { id, kind, deliveries, failures, isolations, lease } = entry;
      this.history.note(worker, "leased", id, deliveries === 1 ? "" : "again", lease);
      const receipt: LeaseReceipt = { id, lease };
      found.push({
        ...{ id, body: `${kind} ${id} ${lease}`, receipt, deliveries, failures, isolations },
      });
    }
    return found;
  }

  *#current(receipts: readonly LeaseReceipt[]): Generator<Entry> {
    for (const { id, lease } of receipts) {
      const entry = this.entries.get(id);
      if (entry !== undefined && entry.lease === lease) yield entry;
    }
  }

  #isThere(entry: Entry): boolean {
    return this.entries.get(entry.id) === entry && this.isFirst(entry);
  }

  #remove(entry: Entry): void {
    this.entries.delete(entry.id);
    if (entry.key === undefined) return;
    const lane = this.#lanes.get(entry.key)!;
    lane.delete(entry);
    const [next] = lane;
    if (next !== undefined) this.#offer(next);
  }

  #release(entry: Entry, delayMs: number): void {
    entry.lease = 0;
    entry.heldUntilMs = delayMs === 0 ? -Infinity : this.nowMs + delayMs;
    this.#offer(entry);
  }

  /** Has it handed over, now or when it is held no longer. */
  #offer(entry: Entry): void {
    if (!this.#isThere(entry)) return;
    const leftMs = entry.heldUntilMs - this.nowMs;
    if (leftMs > 0) return void setTimeout(() => this.#offer(entry), leftMs);
    const place = this.#ready.findLastIndex(({ number }) => number <= entry.number);
    this.#ready.splice(place + 1, 0, entry);
    const [look] = this.#waiting;
    if (!this.isDown) look?.();
  }
}

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
export interface Weather {
  lossProbability: number;
  doublingProbability: number;
  /** That a call takes about as long as a lease. */
  latenessProbability: number;
}

/** Nothing goes wrong. */
export const calm: Weather = { lossProbability: 0, doublingProbability: 0, latenessProbability: 0 };

/** What a program sees of a broker that cannot be reached. */
export function lostConnection(): Error {
  return Object.assign(new Error("The connection was lost"), { code: "ECONNRESET" });
}

type Reachable = Readonly<Pick<Broker, "isDown" | "leaseMs">>;

/** A worker's way to a broker: what is asked and answered may be late, lost or doubled. */
export class Wire {
  readonly #broker: Reachable;
  readonly #weather: Weather;
  readonly #random: Random;
  /** Whether the worker was killed: whatever it asks for does not happen. */
  isCut = false;

  constructor(broker: Reachable, weather: Weather, random: Random) {
    this.#broker = broker;
    this.#weather = weather;
    this.#random = random;
  }

  /** The way there or back. */
  async #travel(): Promise<void> {
    const isLate = this.#random.happens(this.#weather.latenessProbability);
    const { leaseMs } = this.#broker;
    await sleep(this.#random.between(1, isLate ? 2 * leaseMs : 5));
    const isLost = this.#random.happens(this.#weather.lossProbability / 2);
    if (isLost || this.isCut || this.#broker.isDown) throw lostConnection();
  }

  async call<R>(act: () => R | Promise<R>, isOnce = false): Promise<R> {
    await this.#travel();
    const answer = await act();
    if (!isOnce && this.#random.happens(this.#weather.doublingProbability)) {
      // Nothing waits for the second time.
      setTimeout(() => {
        if (!this.#broker.isDown) void act();
      }, this.#random.between(1, 2 * this.#broker.leaseMs));
    }
    await this.#travel();
    return answer;
  }
}

/** What a worker sees of a broker. */
class Connection extends Wire implements QueueSource<string> {
  readonly #broker: Broker;
  readonly #worker: number;
  readonly #history: History;

  constructor(
    broker: Broker,
    worker: number,
    weather: Weather,
    random: Random,
    history: History,
  ) {
    super(broker, weather, random);
    this.#broker = broker;
    this.#worker = worker;
    this.#history = history;
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
    const receive = () => this.#broker.receive(this.#worker, max, waitMs, signal);
    const deliveries = await this.call(receive, true);
    for (const { receipt } of deliveries) {
      const { id, lease } = receipt as LeaseReceipt;
      this.#note("received", id, lease);
    }
    return deliveries;
  }

  ack(receipts: readonly Receipt[]): Promise<void> {
    const leases = this.#settle(receipts, "ack");
    return this.call(() => this.#broker.ack(this.#worker, leases));
  }

  nack(receipts: readonly Receipt[]): Promise<void> {
    const leases = this.#settle(receipts, "nack");
    return this.call(() => this.#broker.nack(leases));
  }

  fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    const leases = this.#settle(receipts, "fail");
    return this.call(() => this.#broker.fail(leases, delayMs));
  }

  isolate(receipt: Receipt, delayMs: number): Promise<void> {
    return this.call(() => this.#broker.isolate(this.#worker, receipt as LeaseReceipt, delayMs));
  }

  orphans(): Promise<number> {
    return this.call(() => this.#broker.orphans());
  }

  extend(receipts: readonly Receipt[]): Promise<void> {
    return this.call(() => this.#broker.extend(receipts as readonly LeaseReceipt[]));
  }

  deadLetter({ receipt }: Delivery<string>, reason: unknown): Promise<void> {
    const leases = this.#settle([receipt], "dead letter");
    return this.call(() => this.#broker.deadLetter(this.#worker, leases[0]!, reason));
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
