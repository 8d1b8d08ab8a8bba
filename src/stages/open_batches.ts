import { Demand } from "../kernels/demand.ts";

/** When a batch goes on. */
interface BatchLimits {
  readonly size: number;
  readonly maxKeys: number;
  readonly maxWaitMs: number | undefined;
}

interface OpenBatch<T> {
  readonly chunks: T[];
  /** When it was opened, in milliseconds of the clock; 0 where nothing waits. */
  readonly openedAtMs: number;
}

/** How long to wait before looking for room again in a native stream, which gives a transformer no signal of it. */
const pollMs = 10;

/** The open batches of one stream, each of a key. */
export class OpenBatches<Key, T> {
  readonly #limits: BatchLimits;
  readonly #controller: TransformStreamDefaultController<unknown>;
  readonly #give: (key: Key, chunks: T[]) => void;
  readonly #demand: Demand;
  /** In the order in which they were opened. */
  readonly #open = new Map<Key, OpenBatch<T>>();
  /** Kept, since a fresh iterator would pass all that was deleted before. */
  #entries: MapIterator<[Key, OpenBatch<T>]> | undefined;
  #first: [Key, OpenBatch<T>] | undefined;
  /** How many batches went on for another key's sake. */
  evicted = 0;
  /** One for all: the batch that was opened first goes on first. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the first waits only for room. */
  #isDue = false;

  /** To be made by `start`. */
  constructor(
    limits: BatchLimits,
    controller: TransformStreamDefaultController<unknown>,
    give: (key: Key, chunks: T[]) => void,
  ) {
    this.#limits = limits;
    this.#controller = controller;
    this.#give = give;
    this.#demand = new Demand(controller);
  }

  /** Takes a chunk; forgets all if the queue refuses what that passes on. */
  add(key: Key, chunk: T): void {
    try {
      this.#add(key, chunk);
    } catch (reason) {
      this.drop();
      throw reason;
    }
  }

  #add(key: Key, chunk: T): void {
    const { size, maxKeys, maxWaitMs } = this.#limits;
    let batch = this.#open.get(key);
    if (batch === undefined) {
      if (this.#open.size >= maxKeys) {
        this.#emit(...this.#findFirst()!);
        this.evicted++;
      }
      batch = { chunks: [], openedAtMs: maxWaitMs === undefined ? 0 : performance.now() };
      this.#open.set(key, batch);
    }
    if (batch.chunks.push(chunk) === size) this.#emit(key, batch);
    if (this.#isDue) this.#emitDue();
    this.#setTimer();
  }

  /** Passes on all. */
  flush(): void {
    this.#stopTimer();
    for (const [key, batch] of this.#open) this.#emit(key, batch);
  }

  /** Forgets all. */
  drop(): void {
    this.#stopTimer();
    this.#open.clear();
  }

  /** The batch that was opened first. */
  #findFirst(): [Key, OpenBatch<T>] | undefined {
    while (this.#first === undefined || this.#open.get(this.#first[0]) !== this.#first[1]) {
      this.#entries ??= this.#open.entries();
      const { done, value } = this.#entries.next();
      if (done) {
        this.#entries = this.#first = undefined;
        return undefined;
      }
      this.#first = value;
    }
    return this.#first;
  }

  #emit(key: Key, { chunks }: OpenBatch<T>): void {
    this.#open.delete(key);
    this.#give(key, chunks);
  }

  /** Passes on what has waited long enough, as far as there is room: until then it goes on filling. */
  #emitDue(): void {
    // Timers may fire a little early.
    const dueMs = performance.now() - this.#limits.maxWaitMs! + 1;
    this.#isDue = false;
    for (let first; (first = this.#findFirst()) !== undefined; this.#emit(...first)) {
      if (first[1].openedAtMs > dueMs) return;
      if (!this.#demand.isThere()) {
        this.#isDue = true;
        return;
      }
    }
  }

  /** Sets the timer while anything waits, and no longer. */
  #setTimer(): void {
    const { maxWaitMs } = this.#limits;
    if (maxWaitMs === undefined) return;
    if (this.#open.size === 0) return this.#stopTimer();
    if (this.#isDue) return this.#demand.later(this.#onTimer, pollMs);
    this.#demand.stopLater();
    if (this.#timer !== undefined) return;
    const dueInMs = this.#findFirst()![1].openedAtMs + maxWaitMs - performance.now();
    this.#timer = setTimeout(this.#onTimer, Math.max(0, dueInMs));
  }

  readonly #onTimer = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.#emitDue();
      this.#setTimer();
    } catch (error) {
      // A timer has no caller to throw to, so the stream fails.
      this.#controller.error(error);
    }
  };

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#demand.stopLater();
    this.#isDue = false;
  }
}
