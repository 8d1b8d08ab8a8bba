import { InFlight } from "../in_flight.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { NONE } from "../kernels/kernel.ts";
import { throwTypeError } from "../errors.ts";
import type { Open } from "../kernels/operation.ts";
import type { StageContext } from "../kernels/stage_context.ts";

/** How many calls there are at a time, and which follow others. */
export interface CallPlan<I> extends PoolLimits {
  readonly key?: ((chunk: I, index: number) => unknown) | undefined;
}

/** What passes on, in one stream, what a function makes of each chunk, several at a time; `NONE` is not passed on. */
export function openCalls<I, O>(
  call: (chunk: I, index: number, context: StageContext) => O | PromiseLike<O>,
  plan: CallPlan<I>,
): Open<I, O> {
  const { key } = plan;
  return (controller, context) => {
    const pool = new Pool(controller, plan, (error) => context.stop(error));
    let index = 0;
    return {
      transform(chunk) {
        if (pool.hasFailed) return pool.failure();
        const at = index++;
        const begin = () => call(chunk, at, context);
        if (key === undefined) return pool.addCall(begin);
        let ofKey: unknown;
        try {
          ofKey = readKey(key(chunk, at));
        } catch (error) {
          return pool.addError(error);
        }
        return pool.addCall(begin, ofKey);
      },
      flush: () => pool.end(),
      flushNow: () => pool.finish(),
      drain: () => pool.finish(),
      cancel: () => pool.stop(),
      waiting: () => pool.waiting(),
      get failedIndex() {
        return pool.failedIndex;
      },
      get doneCount() {
        return pool.doneCount;
      },
    };
  };
}

function readKey(key: unknown): unknown {
  if (isPromiseLike(key)) throwTypeError("find the key of a chunk", "it", "no promise", key);
  return key;
}

// Over 200 lines: all that may happen to a call, of which each step looks at the same few counts.

/** How many calls a pool lets begin. */
interface PoolLimits {
  /** How many calls may be in flight. */
  readonly concurrency: number;
  /** How many calls may be in flight and results may wait for their turn, together. */
  readonly window: number;
  /** Whether results have a turn, or go out as they come. */
  readonly ordered: boolean;
  /** Whether the first call that fails is the end. */
  readonly stopOnError: boolean;
}

/** The most that is held unless an option says more. */
const mostByDefault = 1024;

/** How many may be outstanding where no option says so. */
export function windowOf(concurrency: number, isWaited: boolean): number {
  return isWaited ? Math.max(concurrency, Math.min(4 * concurrency, mostByDefault)) : concurrency;
}

/** What a call has failed with that is not the end. */
interface CallFailure {
  readonly index: number;
  readonly error: unknown;
}

/** The calls of one stream of `parallel` that are in flight, and their results that wait for their turn. */
class Pool<O> {
  readonly #controller: TransformStreamDefaultController<O>;
  readonly #limits: PoolLimits;
  readonly #onFailed: (error: unknown) => void;
  readonly #inFlight: InFlight;
  /** Calls in flight, and results that wait. */
  #outstanding = 0;
  #head: PoolSlot<O> | undefined;
  #tail: PoolSlot<O> | undefined;
  #waiter: PoolWaiter | undefined;
  #hasFailed = false;
  /** How many results were added. */
  #count = 0;
  #failedIndex: number | undefined;
  /** The slot of the call that has failed first. */
  #failed: PoolSlot<O> | undefined;
  readonly #keys: OrderOfKeys<O> | undefined;
  #isOver = false;
  /** Where none is the end. */
  readonly #failures: CallFailure[] = [];

  /** `onFailed` is called when a call has failed and its turn has come. */
  constructor(
    controller: TransformStreamDefaultController<O>,
    limits: CallPlan<never>,
    onFailed: (error: unknown) => void,
  ) {
    this.#controller = controller;
    this.#limits = limits;
    this.#inFlight = new InFlight(limits.concurrency);
    this.#keys = limits.key && new OrderOfKeys();
    this.#onFailed = onFailed;
  }

  waiting(): string | undefined {
    return this.#outstanding === 0 ? undefined : this.#inFlight.describe("calls");
  }

  /** Whether a call has failed: no other should start. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Which call has failed. */
  get failedIndex(): number | undefined {
    return this.#failedIndex;
  }

  /** How many calls have passed on their results. */
  get doneCount(): number {
    return this.#count - this.#outstanding;
  }

  /** Begins a call, with keys once those with the same one have ended; answers when there is room again. */
  addCall(begin: () => O | PromiseLike<O>, key?: unknown): void | Promise<void> {
    const keys = this.#keys;
    if (keys !== undefined && !keys.isFree(key)) {
      const slot = this.#addSlot(undefined, key);
      slot.begin = begin;
      keys.add(slot);
      return this.#room();
    }
    let result: O | PromiseLike<O>;
    try {
      result = begin();
    } catch (error) {
      return this.addError(error);
    }
    if (isPromiseLike(result)) {
      const slot = this.#addSlot(undefined, key);
      this.#follow(slot, result as PromiseLike<O>);
      keys?.add(slot);
    } else if (this.#head === undefined) {
      this.#count++;
      this.#give(result);
    } else this.#addSlot({ ok: true, value: result });
    return this.#room();
  }

  /** Fails when it is the turn of a call that threw, or notes it; answers when there is room again. */
  addError(error: unknown): void | Promise<void> {
    if (!this.#limits.stopOnError) {
      this.#failures.push({ index: this.#count++, error });
      return this.#room();
    }
    this.#hasFailed = true;
    if (this.#head === undefined) {
      this.#failedIndex = this.#count;
      this.stop();
      this.#onFailed(error);
      return Promise.reject(error);
    }
    this.#failed = this.#addSlot({ ok: false, error });
    return this.failure();
  }

  /** Rejects when it is the turn of the call that failed. */
  failure(): Promise<void> {
    return this.#wait(() => false);
  }

  /** Answers when nothing is outstanding. */
  finish(): void | Promise<void> {
    if (!this.#isEmpty()) return this.#wait(this.#isEmpty);
  }

  /** As `finish`; then throws the failures that were noted, in the order of the chunks. */
  end(): void | Promise<void> {
    const finished = this.finish();
    if (finished !== undefined) return finished.then(this.#throwFailures);
    this.#throwFailures();
  }

  /** Gives up: results to come are ignored. */
  stop(): void {
    this.#isOver = true;
    this.#head = this.#tail = undefined;
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }

  #follow(slot: PoolSlot<O>, promise: PromiseLike<O>): void {
    this.#inFlight.begin();
    // Whatever kind of promise it is: one whose `then` throws is rejected.
    Promise.resolve(promise).then(
      (value) => this.#settle(slot, { ok: true, value }),
      (error) => this.#settle(slot, { ok: false, error }),
    );
  }

  /** The next call with the key of one that has ended has its turn. */
  #beginNext(slot: PoolSlot<O>): void {
    const next = this.#keys!.end(slot);
    if (next === undefined || this.#hasFailed) return;
    const { begin } = next;
    next.begin = undefined;
    // What it throws is how the promise is rejected.
    this.#follow(next, new Promise((resolve) => resolve(begin!())));
  }

  #addSlot(outcome: Outcome<O> | undefined, key?: unknown): PoolSlot<O> {
    const slot: PoolSlot<O> = { index: this.#count++, outcome, next: undefined, key };
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
    !this.#inFlight.isFull && this.#outstanding < this.#limits.window;

  readonly #isEmpty = (): boolean => this.#outstanding === 0;

  #wait(isMet: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => this.#waiter = { isMet, resolve, reject });
  }

  #settle(slot: PoolSlot<O>, outcome: Outcome<O>): void {
    if (this.#isOver) return;
    this.#inFlight.end();
    slot.outcome = outcome;
    if (!outcome.ok && !this.#hasFailed && this.#limits.stopOnError) {
      this.#hasFailed = true;
      this.#failed = slot;
    }
    if (this.#keys !== undefined) this.#beginNext(slot);
    if (!this.#limits.ordered) this.#emit(outcome, slot.index);
    while (this.#head !== undefined) {
      // What has not begun will not any more: there is nothing to be passed on before the failure.
      const failed = this.#head.begin !== undefined && this.#failed;
      const { index, outcome, next } = failed || this.#head;
      if (outcome === undefined) break;
      this.#head = next;
      if (next === undefined) this.#tail = undefined;
      this.#emit(outcome, index);
    }
    if (this.#waiter?.isMet()) {
      this.#waiter.resolve();
      this.#waiter = undefined;
    }
  }

  #emit(outcome: Outcome<O>, index: number): void {
    this.#outstanding--;
    if (!outcome.ok) {
      if (!this.#limits.stopOnError) {
        this.#failures.push({ index, error: outcome.error });
        return;
      }
      this.#failedIndex = index;
      return this.#fail(outcome.error);
    }
    try {
      this.#give(outcome.value);
    } catch (error) {
      // A stream that was cancelled without our knowing still has a desired size; it has not failed.
      if (this.#controller.desiredSize === null) this.#fail(error);
      else this.stop();
    }
  }

  readonly #throwFailures = (): void => {
    const { length } = this.#failures;
    if (length === 0) return;
    throw new AggregateError(
      this.#failures.sort((a, b) => a.index - b.index).map(({ error }) => error),
      `Cannot run parallel: ${length} of ${this.#count} calls have failed`,
    );
  };

  #give(value: O): void {
    if (value === NONE) return;
    this.#controller.enqueue(value instanceof Kept ? value.chunk as O : value);
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

/** How a call has ended. */
type Outcome<O> = { readonly ok: true; readonly value: O } | {
  readonly ok: false;
  readonly error: unknown;
};

/** The place of a result in the order of the output. */
interface PoolSlot<O> {
  readonly index: number;
  outcome: Outcome<O> | undefined;
  next: PoolSlot<O> | undefined;
  readonly key?: unknown;
  /** Of a call that waits for another with its key: begins it. */
  begin?: (() => O | PromiseLike<O>) | undefined;
  /** The next call with its key, which waits for it. */
  follower?: PoolSlot<O> | undefined;
}

/** Who waits for room, or for an end. */
interface PoolWaiter {
  /** Whether what it waits for is so. */
  readonly isMet: () => boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** The last call of each key that has not ended. */
class OrderOfKeys<O> {
  readonly #last = new Map<unknown, PoolSlot<O>>();

  isFree(key: unknown): boolean {
    return !this.#last.has(key);
  }

  /** Puts a call behind those with its key. */
  add(slot: PoolSlot<O>): void {
    const last = this.#last.get(slot.key);
    if (last !== undefined) last.follower = slot;
    this.#last.set(slot.key, slot);
  }

  /** A call has ended: answers the next with its key. */
  end(slot: PoolSlot<O>): PoolSlot<O> | undefined {
    if (this.#last.get(slot.key) === slot) this.#last.delete(slot.key);
    return slot.follower;
  }
}

/** What a call answers of a chunk that goes on as it is: in a box, since a chunk may be a promise. */
export class Kept {
  readonly chunk: unknown;

  constructor(chunk: unknown) {
    this.chunk = chunk;
  }
}
