import type { KeyedBatch } from "./keyed_batch.ts";

/** When a batch goes on. */
export interface BatchLimits {
  readonly size: number;
  readonly maxKeys: number;
  readonly maxWaitMs: number | undefined;
}

interface OpenBatch<T> {
  readonly chunks: T[];
  /** When it was opened, in milliseconds of the clock; 0 where nothing waits. */
  readonly openedAtMs: number;
}

/** The open batches of one stream. */
export class KeyedBatches<Key, T> {
  readonly #limits: BatchLimits;
  readonly #controller: TransformStreamDefaultController<KeyedBatch<Key, T>>;
  /** In the order in which they were opened. */
  readonly #open = new Map<Key, OpenBatch<T>>();
  readonly #waiting: Set<KeyedBatches<Key, T>>;
  /** One for all: the batch that was opened first goes on first. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `waiting` holds it while its timer is set. */
  constructor(
    limits: BatchLimits,
    controller: TransformStreamDefaultController<KeyedBatch<Key, T>>,
    waiting: Set<KeyedBatches<Key, T>>,
  ) {
    this.#limits = limits;
    this.#controller = controller;
    this.#waiting = waiting;
  }

  add(key: Key, chunk: T): void {
    const { size, maxKeys, maxWaitMs } = this.#limits;
    let batch = this.#open.get(key);
    if (batch === undefined) {
      if (this.#open.size >= maxKeys) this.#handOnFirst();
      batch = { chunks: [], openedAtMs: maxWaitMs === undefined ? 0 : performance.now() };
      this.#open.set(key, batch);
    }
    if (batch.chunks.push(chunk) === size) this.#handOn(key, batch);
    this.#setTimer();
  }

  /** Hands on all. */
  flush(): void {
    this.stop();
    while (this.#open.size > 0) this.#handOnFirst();
  }

  /** Stops waiting. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.delete(this);
  }

  #handOnFirst(): void {
    const [[key, batch]] = this.#open as unknown as [[Key, OpenBatch<T>]];
    this.#handOn(key, batch);
  }

  #handOn(key: Key, { chunks }: OpenBatch<T>): void {
    this.#open.delete(key);
    this.#controller.enqueue({ key, chunks });
  }

  /** Sets the timer while anything waits, and no longer. */
  #setTimer(): void {
    const { maxWaitMs } = this.#limits;
    if (maxWaitMs === undefined) return;
    if (this.#open.size === 0) return this.stop();
    if (this.#timer !== undefined) return;
    this.#waiting.add(this);
    const [first] = this.#open.values() as Iterable<OpenBatch<T>> as [OpenBatch<T>];
    const delayMs = Math.max(0, first.openedAtMs + maxWaitMs - performance.now());
    this.#timer = setTimeout(() => this.#handOnLate(), delayMs);
  }

  #handOnLate(): void {
    this.#timer = undefined;
    const dueMs = performance.now() - this.#limits.maxWaitMs!;
    try {
      for (const [key, batch] of this.#open) {
        // Timers may fire a little early.
        if (batch.openedAtMs > dueMs + 1) break;
        this.#handOn(key, batch);
      }
      this.#setTimer();
    } catch (error) {
      this.stop();
      // A timer has no caller who could be told, so the stream is.
      this.#controller.error(error);
    }
  }
}
