import { callListener } from "../call_listener.ts";
import { Condition } from "../condition.ts";
import { yieldTurn } from "../engine/turn_budget.ts";
import { LeasedMessage, type Message } from "./message.ts";
import type { Delivery, QueueSource, Receipt } from "./queue_source.ts";
import { retryUntilDone } from "./retry_until_done.ts";
import { queueMicrotask } from "../queue_microtask.ts";

/** Something that an operator may want to know of a consumer. */
export type ConsumerEvent =
  /** The broker or the store cannot be used; what was to be done is tried again until it can. */
  | { readonly kind: "outage"; readonly of: "broker" | "store"; readonly reason: unknown }
  /** It can be used again. */
  | { readonly kind: "recovery"; readonly of: "broker" | "store" }
  /**
   * The queue was deleted and made again: what was leased before is gone with it, and ids and keys are others from now
   * on. What is in work is still stored.
   */
  | { readonly kind: "replaced" }
  /** A message has failed, and will be delivered again. */
  | { readonly kind: "failure"; readonly message: Message; readonly reason: unknown }
  /** A message has been put among the dead letters. */
  | { readonly kind: "dead"; readonly message: Message; readonly reason: unknown };

/** What a consumer keeps to, in full. */
export interface ConsumerSettings {
  readonly maxInFlight: number;
  readonly maxInFlightBytes: number;
  readonly leaseMs: number;
  readonly drainMs: number;
  readonly maxFailures: number;
  readonly maxSuspicions: number;
  readonly retryDelayMs: number;
  readonly onEvent: ((event: ConsumerEvent) => void) | undefined;
}

const longestRetryDelayMs = 3_600_000;

/** What is leased, how far each message is, and what is reported to the queue. */
export class Ledger<T = unknown> {
  readonly queue: QueueSource<T>;
  readonly settings: ConsumerSettings;
  readonly counts = { received: 0, acknowledged: 0, failed: 0, dead: 0, nacked: 0 };
  /** Notified whenever a message is settled, and when no more are begun. */
  readonly changed = new Condition();
  /** Called when no output comes any more unless something is settled first. */
  onStuck: (() => void) | undefined;
  /** Called when the time to finish is over. */
  onAbandon: ((reason: unknown) => void) | undefined;
  /** Whether no message is begun at this time, room or not: another is worked on alone, or it is the end. */
  isShut = false;
  /** In no order: each knows its place. */
  readonly #unsettled: LeasedMessage<T>[] = [];
  readonly #end = new AbortController();
  /** Extends the leases, three times in one, for as long as there is something leased. */
  #timer: ReturnType<typeof setInterval> | undefined;
  #isExtending = false;
  readonly #out = new Set<"broker" | "store">();
  /** How large those are that have not settled. */
  #bytes = 0;
  #waiting = 0;
  #running = 0;
  #toAcknowledge: LeasedMessage<T>[] = [];
  #isAcknowledging = false;

  constructor(queue: QueueSource<T>, settings: ConsumerSettings) {
    this.queue = queue;
    this.settings = settings;
  }

  /** Aborts when what is left is given up. */
  get end(): AbortSignal {
    return this.#end.signal;
  }

  /** Messages that are leased and not settled. */
  get unsettled(): number {
    return this.#unsettled.length;
  }

  /** How many more messages may be leased: none unless half of the bytes are free, so that one more is no harm. */
  get room(): number {
    const { maxInFlight, maxInFlightBytes } = this.settings;
    return this.#bytes * 2 > maxInFlightBytes ? 0 : maxInFlight - this.#unsettled.length;
  }

  /** How large they may be together. */
  get roomBytes(): number {
    return Math.max(1, this.settings.maxInFlightBytes - this.#bytes);
  }

  /** Whether every message has given all its outputs, and no other can be begun before one of them is settled. */
  get isStuck(): boolean {
    return this.#running === 0 && (this.isShut || (this.#waiting === 0 && this.room <= 0));
  }

  admit(delivery: Delivery<T>): LeasedMessage<T> {
    const message = new LeasedMessage(delivery, this);
    this.counts.received++;
    this.#bytes += message.bytes;
    this.#waiting++;
    message.place = this.#unsettled.push(message) - 1;
    const everyMs = Math.max(1, Math.floor(this.settings.leaseMs / 3));
    this.#timer ??= setInterval(() => void this.#extend(), everyMs);
    return message;
  }

  begin(message: LeasedMessage<T>): LeasedMessage<T> {
    message.phase = "begun";
    this.#waiting--;
    this.#running++;
    return message;
  }

  /** The run of a message is over. */
  complete(message: LeasedMessage<T>): void {
    if (message.phase !== "begun") return;
    message.isComplete = true;
    this.#running--;
    if (message.stored === message.outputs) this.#acknowledge(message, yieldTurn);
    if (this.isStuck) this.onStuck?.();
  }

  /** Some outputs are stored: what has no other is acknowledged. */
  store(messages: Iterable<LeasedMessage<T>>): void {
    for (const message of messages) {
      message.stored++;
      if (
        message.phase === "begun" && message.isComplete && message.stored === message.outputs
      ) this.#acknowledge(message, queueMicrotask);
    }
  }

  #acknowledge(message: LeasedMessage<T>, soon: (callback: () => void) => void): void {
    message.phase = "settling";
    this.#toAcknowledge.push(message);
    if (this.#isAcknowledging) return;
    this.#isAcknowledging = true;
    soon(() => void this.#acknowledgeAll());
  }

  /** One call at a time: what comes meanwhile goes with the next. */
  async #acknowledgeAll(): Promise<void> {
    while (this.#toAcknowledge.length > 0) {
      const messages = this.#toAcknowledge;
      this.#toAcknowledge = [];
      await this.#settle(messages, "acknowledged", (receipts) => this.queue.ack(receipts));
    }
    this.#isAcknowledging = false;
  }

  /** Counts a failure of one message: it comes again later, or is dead. */
  fail(message: LeasedMessage<T>, reason: unknown): void {
    if (message.failures + 1 >= this.settings.maxFailures) return this.deadLetter(message, reason);
    if (!this.#leave(message)) return;
    const delayMs = this.#delayAfter(message.failures);
    this.tell({ kind: "failure", message, reason });
    const fail = (receipts: Receipt[]) => this.queue.fail(receipts, reason, delayMs);
    void this.#settle([message], "failed", fail);
  }

  /** Puts a message among the dead letters. */
  deadLetter(message: LeasedMessage<T>, reason: unknown): void {
    if (!this.#leave(message)) return;
    this.tell({ kind: "dead", message, reason });
    const deadLetter = () => this.queue.deadLetter(message.delivery, reason);
    void this.#settle([message], "dead", deadLetter);
  }

  /** Has it noted that a message is worked on alone, in case its worker dies of it; answers whether it was. */
  isolate({ delivery }: LeasedMessage<T>): Promise<boolean> {
    const delayMs = this.#delayAfter(delivery.isolations);
    return this.#untilAnswered(() => this.queue.isolate(delivery.receipt, delayMs));
  }

  #delayAfter(times: number): number {
    return Math.min(this.settings.retryDelayMs * 2 ** times, longestRetryDelayMs);
  }

  /** Reads a body that was left out; answers whether there is one to be worked on, and the message still ours. */
  async load(message: LeasedMessage<T>): Promise<boolean> {
    const { delivery } = message;
    let isThere = delivery.load === undefined;
    if (delivery.load !== undefined) {
      const load = async () => void (isThere = await delivery.load!());
      if (await this.#untilAnswered(load)) this.recovery("broker");
    }
    if (delivery.flaw !== undefined) this.deadLetter(message, delivery.flaw.reason);
    else if (!isThere) await this.nack([message]);
    return isThere && delivery.flaw === undefined;
  }

  /** Gives messages back that have not failed. */
  async nack(messages: Iterable<LeasedMessage<T>>): Promise<void> {
    const left = [...messages].filter((message) => this.#leave(message));
    if (left.length === 0) return;
    await this.#settle(left, "nacked", (receipts) => this.queue.nack(receipts));
  }

  /** Gives back everything that `isKept` does not hold. */
  async nackRest(isKept: (message: LeasedMessage<T>) => boolean = () => false): Promise<void> {
    await this.nack(this.#unsettled.filter((message) => !isKept(message)));
  }

  /** Fulfils once every message is settled. */
  whenSettled(): Promise<void> {
    return this.changed.until(() => this.#unsettled.length === 0);
  }

  /** Tries nothing again any more: the leases of what is left run out by themselves. */
  abandon(reason: unknown): void {
    this.#end.abort(reason);
  }

  /** Reports something that the queue or the store does not do. */
  outage(of: "broker" | "store", reason: unknown): void {
    if (this.#out.has(of)) return;
    this.#out.add(of);
    this.tell({ kind: "outage", of, reason });
  }

  /** Tells that it does again. */
  recovery(of: "broker" | "store"): void {
    if (this.#out.delete(of)) this.tell({ kind: "recovery", of });
  }

  tell(event: ConsumerEvent): void {
    callListener((event) => this.settings.onEvent?.(event), event);
  }

  /** Takes a message out of the work; answers whether it was in it. */
  #leave(message: LeasedMessage<T>): boolean {
    if (message.phase === "waiting") this.#waiting--;
    else if (message.phase !== "begun") return false;
    else if (!message.isComplete) this.#running--;
    message.phase = "settling";
    return true;
  }

  /** Asks the queue again and again, and reports its outage; tells whether it has answered before the end. */
  #untilAnswered(ask: () => PromiseLike<void>): Promise<boolean> {
    return retryUntilDone(ask, this.end, (reason) => this.outage("broker", reason));
  }

  async #settle(
    messages: readonly LeasedMessage<T>[],
    count: "acknowledged" | "failed" | "dead" | "nacked",
    act: (receipts: Receipt[]) => Promise<void>,
  ): Promise<void> {
    const receipts = messages.map(({ delivery }) => delivery.receipt);
    if (await this.#untilAnswered(() => act(receipts))) {
      this.counts[count] += messages.length;
      this.recovery("broker");
    }
    for (const message of messages) {
      message.phase = "settled";
      this.#bytes -= message.bytes;
      // The last one takes its place.
      const last = this.#unsettled.pop()!;
      if (last === message) continue;
      this.#unsettled[message.place] = last;
      last.place = message.place;
    }
    if (this.#unsettled.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.changed.notifyAll();
    if (this.isStuck) this.onStuck?.();
  }

  async #extend(): Promise<void> {
    if (this.#isExtending) return;
    this.#isExtending = true;
    try {
      await this.queue.extend(this.#unsettled.map(({ delivery }) => delivery.receipt));
    } catch (reason) {
      // The next round comes long before the lease is over.
      this.outage("broker", reason);
    }
    this.#isExtending = false;
  }
}
