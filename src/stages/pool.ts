type Outcome<O> = { readonly ok: true; readonly value: O } | {
  readonly ok: false;
  readonly error: unknown;
};

/** The place of a result in the order of the output. */
interface Slot<O> {
  readonly index: number;
  outcome: Outcome<O> | undefined;
  next: Slot<O> | undefined;
}

interface Waiter {
  /** Whether what it waits for is so. */
  readonly isMet: () => boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** How many calls a pool lets begin. */
export interface PoolLimits {
  /** How many calls may be in flight. */
  readonly concurrency: number;
  /** How many calls may be in flight and results may wait for their turn, together. */
  readonly window: number;
  /** Whether results have a turn, or go out as they come. */
  readonly ordered: boolean;
}

function never(): boolean {
  return false;
}

/** The calls of one stream of `parallel` that are in flight, and their results that wait for their turn. */
export class Pool<O> {
  readonly #controller: TransformStreamDefaultController<O>;
  readonly #limits: PoolLimits;
  readonly #onFailed: (error: unknown) => void;
  #inFlight = 0;
  /** Calls in flight, and results that wait. */
  #outstanding = 0;
  #head: Slot<O> | undefined;
  #tail: Slot<O> | undefined;
  #waiter: Waiter | undefined;
  #hasFailed = false;
  /** How many results were added. */
  #count = 0;
  #failedIndex: number | undefined;
  #isOver = false;

  /** `onFailed` is called when a call has failed and its turn has come. */
  constructor(
    controller: TransformStreamDefaultController<O>,
    limits: PoolLimits,
    onFailed: (error: unknown) => void,
  ) {
    this.#controller = controller;
    this.#limits = limits;
    this.#onFailed = onFailed;
  }

  /** Whether a call has failed: no other should start. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Which call has failed. */
  get failedIndex(): number | undefined {
    return this.#failedIndex;
  }

  /** Passes on a result that already exists, or keeps its place; answers when there is room again. */
  addValue(value: O): void | Promise<void> {
    if (this.#head === undefined) {
      this.#count++;
      this.#controller.enqueue(value);
    } else this.#addSlot({ ok: true, value });
    return this.#room();
  }

  /** Keeps the place of a result to come; answers when there is room again. */
  addPromise(promise: PromiseLike<O>): void | Promise<void> {
    const slot = this.#addSlot(undefined);
    this.#inFlight++;
    // Whatever kind of promise it is: one whose `then` throws is rejected.
    Promise.resolve(promise).then(
      (value) => this.#settle(slot, { ok: true, value }),
      (error) => this.#settle(slot, { ok: false, error }),
    );
    return this.#room();
  }

  /** Fails when it is the turn of a call that threw. */
  addError(error: unknown): Promise<void> {
    this.#hasFailed = true;
    if (this.#head === undefined) {
      this.#failedIndex = this.#count;
      this.stop();
      this.#onFailed(error);
      return Promise.reject(error);
    }
    this.#addSlot({ ok: false, error });
    return this.failure();
  }

  /** Rejects when it is the turn of the call that failed. */
  failure(): Promise<void> {
    return this.#wait(never);
  }

  /** Answers when nothing is outstanding. */
  finish(): void | Promise<void> {
    if (!this.#isEmpty()) return this.#wait(this.#isEmpty);
  }

  /** Gives up: results to come are ignored. */
  stop(): void {
    this.#isOver = true;
    this.#head = this.#tail = undefined;
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }

  #addSlot(outcome: Outcome<O> | undefined): Slot<O> {
    const slot: Slot<O> = { index: this.#count++, outcome, next: undefined };
    this.#outstanding++;
    // Without an order there are no places: each result is passed on by itself.
    if (!this.#limits.ordered) return slot;
    if (this.#tail === undefined) this.#head = slot;
    else this.#tail.next = slot;
    return this.#tail = slot;
  }

  #room(): void | Promise<void> {
    if (!this.#hasRoom()) return this.#wait(this.#hasRoom);
  }

  readonly #hasRoom = (): boolean =>
    this.#inFlight < this.#limits.concurrency && this.#outstanding < this.#limits.window;

  readonly #isEmpty = (): boolean => this.#outstanding === 0;

  #wait(isMet: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => this.#waiter = { isMet, resolve, reject });
  }

  #settle(slot: Slot<O>, outcome: Outcome<O>): void {
    if (this.#isOver) return;
    this.#inFlight--;
    slot.outcome = outcome;
    this.#hasFailed ||= !outcome.ok;
    if (!this.#limits.ordered) this.#handOn(outcome, slot.index);
    while (this.#head?.outcome !== undefined) {
      const { index, outcome, next } = this.#head;
      this.#head = next;
      if (next === undefined) this.#tail = undefined;
      this.#handOn(outcome, index);
    }
    if (this.#waiter?.isMet()) {
      this.#waiter.resolve();
      this.#waiter = undefined;
    }
  }

  #handOn(outcome: Outcome<O>, index: number): void {
    this.#outstanding--;
    if (!outcome.ok) {
      this.#failedIndex = index;
      return this.#fail(outcome.error);
    }
    try {
      this.#controller.enqueue(outcome.value);
    } catch (error) {
      // A stream that was cancelled without our knowing still has a desired size; it has not failed.
      if (this.#controller.desiredSize === null) this.#fail(error);
      else this.stop();
    }
  }

  #fail(error: unknown): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    this.stop();
    this.#onFailed(error);
    if (waiter === undefined) this.#controller.error(error);
    else waiter.reject(error);
  }
}
