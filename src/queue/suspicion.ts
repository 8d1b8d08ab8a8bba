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
    const seen = this.#seen.size - (this.#seen.has(id) ? 1 : 0);
    // Who had it, and died before it was begun alone, did not die of it.
    const innocent = Math.max(0, deliveries - failures - suspectDelivery - isolations);
    const signs = Math.max(seen, this.#orphans) + innocent;
    const doubt = signs <= 0 ? 1 : signs === 1 ? doubtOfOne : doubtOfMany;
    return isolations >= this.#ledger.settings.maxSuspicions * doubt;
  }
}
