import type { Delivery, OpenOptions, Receipt, ReceiveOptions } from "../queue_source.ts";
import { Arrivals } from "./arrivals.ts";

/** A queue whose idle workers look for messages now and then, and which others may drop and make again at any time. */
export abstract class PolledQueue<T> {
  protected readonly arrivals = new Arrivals();
  protected leaseMs = 30_000;
  /** Part of every id: that of a queue which was made again is another. Not known before it was looked at. */
  protected tag: string | undefined;
  #onReplaced: () => void = () => {};

  /** Makes what is missing, and sees which queue it is. */
  protected abstract connect(): Promise<void>;
  /** Hands over what there is. */
  protected abstract lease(
    max: number,
    maxBytes: number | undefined,
    signal: AbortSignal,
  ): Promise<Delivery<T>[]>;
  /** How long a worker that has found nothing sleeps at most; arrivals wake it. */
  protected abstract idleMs(leftMs: number): number;

  async open(leaseMs: number, { onReplaced }: OpenOptions = {}): Promise<void> {
    this.leaseMs = leaseMs;
    if (onReplaced !== undefined) this.#onReplaced = onReplaced;
    await this.connect();
  }

  async receive(max: number, options: ReceiveOptions): Promise<Delivery<T>[]> {
    const { waitMs, signal, maxBytes } = options;
    const until = performance.now() + waitMs;
    while (!signal.aborted) {
      const { count } = this.arrivals;
      const deliveries = await this.lease(max, maxBytes, signal);
      if (deliveries.length > 0) return deliveries;
      const leftMs = until - performance.now();
      if (leftMs <= 0) break;
      await this.arrivals.wait(count, Math.min(leftMs, this.idleMs(leftMs)), signal);
    }
    return [];
  }

  /** Learns which queue it is; whether it is the one of before. */
  protected see(tag: string): boolean {
    const isSame = this.tag === undefined || this.tag === tag;
    this.tag = tag;
    if (!isSame) this.#onReplaced();
    return isSame;
  }

  /** Those of the queue that it is now: the others are gone with theirs. */
  protected ours<One extends { readonly tag: string }>(receipts: readonly Receipt[]): One[] {
    return (receipts as readonly unknown[] as readonly One[])
      .filter(({ tag }) => tag === this.tag);
  }
}
