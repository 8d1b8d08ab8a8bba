import type { Ledger } from "./ledger.ts";
import type { LeasedMessage } from "./message.ts";
import type { Delivery } from "./queue_source.ts";
import { pause, retryUntilDone } from "./retry_until_done.ts";

/** At this delivery without a failure a message may be what has killed its workers. */
const suspectDelivery = 3;
/** How many times as many must die with a message if there is one sign of something else that kills, or several. */
const doubtOfOne = 2;
const doubtOfMany = 4;
const mostSeen = 3;
/** The leases that a worker must live for before it buries what others have died with, and the longest that takes. */
const vigilLeases = 3;
const longestVigilMs = 10_000;

/** Which messages may kill their workers, which are found to do so, and when it may be something else. */
export class Suspicion<T> {
  readonly #ledger: Ledger<T>;
  readonly #signal: AbortSignal;
  /** Some of those that one worker has died with alone: a message that kills leaves none, or soon is another suspect. */
  readonly #seen = new Set<string>();
  /** How many messages the queue has that a worker has died with, and that are no such suspects. */
  #orphans = 0;

  constructor(ledger: Ledger<T>, signal: AbortSignal) {
    this.#ledger = ledger;
    this.#signal = signal;
  }

  /** Looks at what was handed over; asks the queue for other deaths if one of these may be found guilty. */
  look(deliveries: readonly Delivery<T>[]): Promise<void> | undefined {
    const { queue, settings } = this.#ledger;
    for (const { id, isolations } of deliveries) {
      if (isolations === 1 && this.#seen.size < mostSeen) this.#seen.add(id);
    }
    this.#orphans = 0;
    const mayBeKiller = ({ isolations }: Delivery<T>) => isolations >= settings.maxSuspicions;
    if (queue.orphans !== undefined && deliveries.some(mayBeKiller)) return this.#ask();
  }

  async #ask(): Promise<void> {
    const ledger = this.#ledger;
    // No message is found guilty before the queue has answered.
    this.#orphans = Infinity;
    const ask = async () => void (this.#orphans = await ledger.queue.orphans!());
    const isDone = await retryUntilDone(
      ask,
      this.#signal,
      (reason) => ledger.outage("broker", reason),
    );
    if (isDone) ledger.recovery("broker");
  }

  /**
   * Waits with a message that was found guilty, and has not been begun: a worker that dies meanwhile was killed by
   * something else, which the message's deliveries show from then on. Answers why it is dead, unless the worker stops.
   */
  async outlive({ delivery: { isolations } }: LeasedMessage<T>): Promise<Error | undefined> {
    const { leaseMs } = this.#ledger.settings;
    await pause(Math.min(vigilLeases * leaseMs, longestVigilMs), this.#signal);
    if (this.#signal.aborted) return undefined;
    const workers = isolations === 1 ? "1 worker has died" : `${isolations} workers have died`;
    return new Error(`${workers} while at work on it and on nothing else`);
  }

  /** Whether it is to be worked on alone. */
  isSuspect({ deliveries, failures }: { deliveries: number; failures: number }): boolean {
    return deliveries - failures >= suspectDelivery;
  }

  /** Whether enough have died of it; more must have if others die as well, of something else. */
  isKiller({ id, deliveries, failures, isolations }: Delivery<T>): boolean {
    if (isolations < this.#ledger.settings.maxSuspicions) return false;
    const seen = this.#seen.size - (this.#seen.has(id) ? 1 : 0);
    // Who had it, and died before it was begun alone, did not die of it.
    const innocent = Math.max(0, deliveries - failures - suspectDelivery - isolations);
    const signs = Math.max(seen, this.#orphans) + innocent;
    const doubt = signs <= 0 ? 1 : signs === 1 ? doubtOfOne : doubtOfMany;
    return isolations >= this.#ledger.settings.maxSuspicions * doubt;
  }
}

/** The longest that SQS waits: each call of a worker that has nothing to do is paid for. */
const waitMs = 20_000;

/** Leases messages as there is room for them, and gives them out to be begun. */
export class Receiver<T> {
  readonly #ledger: Ledger<T>;
  readonly #stopped = new AbortController();
  #buffer: (LeasedMessage<T> | undefined)[] = [];
  /** How many of the buffer were given out: in their places is nothing any more. */
  #given = 0;
  #receiving: Promise<void> | undefined;
  #receivingStopped = new AbortController();
  #isOpen = false;
  #failure: { readonly reason: unknown } | undefined;
  /** The message that is worked on while no other is. */
  #alone: LeasedMessage<T> | undefined;
  readonly #suspicion: Suspicion<T>;
  /** Those that enough workers have died with. */
  readonly #guilty = new WeakSet<LeasedMessage<T>>();
  /** After a suspect the next message is asked for by itself: it may be another. */
  #isWary = false;

  constructor(ledger: Ledger<T>) {
    this.#ledger = ledger;
    this.#suspicion = new Suspicion(ledger, this.#stopped.signal);
  }

  /** The next message to be begun; `undefined` is the end. */
  next(): LeasedMessage<T> | undefined | Promise<LeasedMessage<T> | undefined> {
    const first = this.#buffer[this.#given];
    if (
      first === undefined || first.delivery.load !== undefined || this.#alone !== undefined ||
      this.#isSuspect(first)
    ) return this.#waitForNext();
    this.#buffer[this.#given++] = undefined;
    this.#receiveAhead();
    return this.#ledger.begin(first);
  }

  /** Takes no more, and gives back what was not begun. */
  stop(): void {
    if (this.#stopped.signal.aborted) return;
    this.#ledger.isShut = true;
    this.#stopped.abort();
    this.#receivingStopped.abort();
    void this.#giveBackBuffer();
    this.#ledger.changed.notifyAll();
    if (this.#ledger.isStuck) this.#ledger.onStuck?.();
  }

  /** Fulfils once nothing more can arrive. */
  async closed(): Promise<void> {
    this.stop();
    await this.#receiving;
  }

  #isSuspect(message: LeasedMessage<T>): boolean {
    return this.#suspicion.isSuspect(message) || this.#guilty.has(message);
  }

  async #waitForNext(): Promise<LeasedMessage<T> | undefined> {
    const ledger = this.#ledger;
    while (!this.#stopped.signal.aborted) {
      if (this.#failure !== undefined) throw this.#failure.reason;
      if (this.#alone !== undefined) {
        if (this.#alone.phase !== "settled") {
          await ledger.changed.wait();
          continue;
        }
        this.#alone = undefined;
        ledger.isShut = false;
      }
      const first = this.#buffer[this.#given];
      if (first === undefined) {
        if (ledger.room > 0) await this.#receive();
        else await ledger.changed.wait();
      } else if (!this.#isSuspect(first)) {
        this.#buffer[this.#given++] = undefined;
        this.#isWary = false;
        this.#receiveAhead();
        if (await this.#canBegin(first)) return ledger.begin(first);
      } else if (await this.#isolate(first)) {
        this.#alone = first;
        if (await this.#canBegin(first)) return ledger.begin(first);
      }
    }
    return undefined;
  }

  /** Whether its body is there, and no stop has come meanwhile. */
  async #canBegin(message: LeasedMessage<T>): Promise<boolean> {
    if (message.delivery.load === undefined) return true;
    if (!await this.#ledger.load(message)) return false;
    if (!this.#stopped.signal.aborted) return true;
    await this.#ledger.nack([message]);
    return false;
  }

  /** Makes sure that nothing else is leased while a suspect is worked on: it would count as its accomplice. */
  async #isolate(message: LeasedMessage<T>): Promise<boolean> {
    const ledger = this.#ledger;
    this.#isWary = true;
    ledger.isShut = true;
    this.#buffer[this.#given++] = undefined;
    this.#receivingStopped.abort();
    await this.#receiving;
    await this.#giveBackBuffer();
    if (ledger.isStuck) ledger.onStuck?.();
    while (ledger.unsettled > 1 && !this.#stopped.signal.aborted) await ledger.changed.wait();
    if (this.#guilty.has(message)) {
      await this.#bury(message);
      return false;
    }
    const isNoted = !this.#stopped.signal.aborted && await ledger.isolate(message);
    if (isNoted && !this.#stopped.signal.aborted) return true;
    await ledger.nack([message]);
    return false;
  }

  /** Makes what was found guilty a dead letter, if this worker lives on without beginning it. */
  async #bury(message: LeasedMessage<T>): Promise<void> {
    const reason = await this.#suspicion.outlive(message);
    if (reason === undefined) return this.#ledger.nack([message]);
    this.#ledger.deadLetter(message, reason);
    this.#ledger.isShut = false;
  }

  #giveBackBuffer(): Promise<void> {
    return this.#ledger.nack(this.#takeBuffer());
  }

  /** What was not given out, which leaves the buffer empty. */
  #takeBuffer(): LeasedMessage<T>[] {
    const messages = this.#buffer.slice(this.#given) as LeasedMessage<T>[];
    this.#buffer = [];
    this.#given = 0;
    return messages;
  }

  /** Asks for more while there is still something to do, once it is worth the asking. */
  #receiveAhead(): void {
    const { room, settings } = this.#ledger;
    if (
      !this.#isWary && room * 2 >= settings.maxInFlight && room > this.#buffer.length - this.#given
    ) {
      void this.#receive();
    }
  }

  /** One call at a time: so no more is leased than there is room for. */
  #receive(): Promise<void> {
    return this.#receiving ??= this.#receiveOnce().finally(() => this.#receiving = undefined);
  }

  async #receiveOnce(): Promise<void> {
    const ledger = this.#ledger;
    if (!this.#isOpen && !await this.#open()) return;
    this.#receivingStopped = new AbortController();
    const { signal } = this.#receivingStopped;
    if (this.#stopped.signal.aborted) return;
    let deliveries: Delivery<T>[] = [];
    const receive = async () => {
      const max = this.#isWary ? 1 : ledger.room;
      const maxBytes = ledger.roomBytes;
      // What is no list is the queue's failure, like any other.
      deliveries = [...await ledger.queue.receive(max, { waitMs, maxBytes, signal })];
    };
    const tell = (reason: unknown) => {
      // What was only ended is no outage.
      if (!signal.aborted) ledger.outage("broker", reason);
    };
    if (!await retryUntilDone(receive, signal, tell)) return;
    ledger.recovery("broker");
    this.#buffer = this.#takeBuffer();
    const looking = this.#suspicion.look(deliveries);
    if (looking !== undefined) await looking;
    for (const delivery of deliveries) this.#admit(delivery);
    if (signal.aborted) await this.#giveBackBuffer();
  }

  #admit(delivery: Delivery<T>): void {
    const message = this.#ledger.admit(delivery);
    const { maxFailures } = this.#ledger.settings;
    if (delivery.flaw !== undefined) this.#ledger.deadLetter(message, delivery.flaw.reason);
    else if (message.failures >= maxFailures) {
      this.#ledger.deadLetter(message, new Error(`It had failed ${message.failures} times`));
    } else {
      if (this.#suspicion.isKiller(delivery)) this.#guilty.add(message);
      this.#buffer.push(message);
    }
  }

  /** Whether the queue is there; a queue that is not there at the start is the pipeline's failure. */
  async #open(): Promise<boolean> {
    try {
      const onReplaced = () => this.#ledger.tell({ kind: "replaced" });
      await this.#ledger.queue.open(this.#ledger.settings.leaseMs, { onReplaced });
      return this.#isOpen = true;
    } catch (reason) {
      this.#failure = { reason };
      return false;
    }
  }
}
