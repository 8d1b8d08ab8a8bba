import { createDeferred } from "../deferred.ts";
import { Fifo } from "../fifo.ts";

interface Entry<T> {
  readonly chunk: T;
  readonly size: number;
}

interface Sender<T> extends Entry<T> {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** What was sent to a channel and is not given yet: a queue, and behind it the chunks of senders that wait for room. */
export class ChannelBuffer<T> {
  readonly #highWaterMark: number;
  readonly #queue = new Fifo();
  readonly #senders = new Fifo();
  /** The sum of the sizes in the queue. */
  #total = 0;

  constructor(highWaterMark: number) {
    this.#highWaterMark = highWaterMark;
  }

  get hasRoom(): boolean {
    return this.#total < this.#highWaterMark;
  }

  /** Whether there is nothing to take. */
  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.#senders.length === 0;
  }

  add(chunk: T, size: number): void {
    this.#push({ chunk, size });
  }

  /** Lets a sender wait; fulfils once its chunk is in the queue. */
  addSender(chunk: T, size: number): Promise<void> {
    const { promise, resolve, reject } = createDeferred<void>();
    promise.catch(() => {});
    this.#senders.push({ chunk, size, resolve, reject } satisfies Sender<T>);
    return promise;
  }

  /** Takes the chunk that has waited longest, and lets senders in as far as that makes room. */
  take(): T {
    if (this.#queue.length === 0) this.#admit();
    const { chunk, size } = this.#queue.shift() as Entry<T>;
    // What is added up of fractions is not quite 0 in the end.
    this.#total = this.#queue.length === 0 ? 0 : this.#total - size;
    while (this.#senders.length > 0 && this.hasRoom) this.#admit();
    return chunk;
  }

  /** Forgets all, and refuses what waits for room. */
  drop(reason: unknown): void {
    this.#queue.clear();
    this.#total = 0;
    while (this.#senders.length > 0) (this.#senders.shift() as Sender<T>).reject(reason);
  }

  #push(entry: Entry<T>): void {
    this.#queue.push(entry);
    this.#total += entry.size;
  }

  #admit(): void {
    const sender = this.#senders.shift() as Sender<T>;
    this.#push(sender);
    sender.resolve();
  }
}
