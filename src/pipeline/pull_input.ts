import { awaitable } from "../awaitable.ts";
import { checkResult } from "../check_result.ts";
import { createDeferred } from "../deferred.ts";
import type { Ending, Input, TurnBudget } from "../engine/ports.ts";
import type { PendingRead } from "../source/direct_read.ts";
import type { Chain } from "./pipe.ts";
import { awaitChunk, type PullSource } from "../source/open_source.ts";

type Result = IteratorResult<unknown, unknown>;

/** What is done when the source ends or fails. */
type OnEnd = (ending: Ending) => void;

/** The reading end of a pipeline: asks its source for a chunk whenever the chain has room for one. */
export class PullInput implements Input {
  readonly #source: PullSource;
  readonly #turn: TurnBudget;
  readonly #preventCancel: boolean | undefined;
  #chain!: Chain;
  #onEnd!: OnEnd;
  #onThrown!: (reason: unknown) => void;
  /** It has asked for a chunk. */
  isReading = false;
  #hasEnded = false;
  #isHeld = false;
  /** It was let go as it is. */
  #isLeft = false;
  #cancelled: Promise<unknown> | undefined;
  /** Chunks that the source gave. */
  chunksRead = 0;

  constructor(source: PullSource, turn: TurnBudget, preventCancel: boolean | undefined) {
    this.#source = source;
    this.#turn = turn;
    this.#preventCancel = preventCancel;
  }

  /** `onThrown` is called with what is thrown where a promise has called back, and so there is no caller. */
  open(chain: Chain, onEnd: OnEnd, onThrown: (reason: unknown) => void): void {
    this.#chain = chain;
    this.#onEnd = onEnd;
    this.#onThrown = onThrown;
    // Heard also while the sink wants nothing, as by `pipeTo`.
    let isNew = true;
    void Promise.resolve().then(() => isNew = false);
    this.#source.closed?.then(
      async () => {
        // At the start, that the sink has failed goes first.
        if (isNew) await undefined;
        if (!this.isReading && !this.#isOver) this.#onResult({ done: true, value: undefined });
      },
      this.#onReadFailed,
    );
  }

  take(): boolean {
    if (this.isReading) return false;
    try {
      const source = this.#source;
      if ("iterator" in source) return this.#takeAtOnce(source.iterator);
      this.#await(source.next());
      return false;
    } catch (reason) {
      this.#fail(reason);
      return true;
    }
  }

  /** Does something unless a chunk is on its way here; that it stops the source counts only later. */
  holdWhile(act: () => void): void {
    if (this.isReading) return;
    this.#isHeld = true;
    try {
      act();
    } finally {
      this.#isHeld = false;
    }
  }

  stop(reason: unknown): void {
    if (this.#isOver || this.#isHeld) return;
    if (this.#preventCancel) {
      this.#hasEnded = true;
      this.#isLeft = true;
      this.#source.release();
      this.#cancelled = Promise.resolve();
      return;
    }
    // Known before the source is cancelled, which may abort the run itself.
    const cancelled = createDeferred<unknown>();
    this.#cancelled = cancelled.promise;
    this.#cancelled.catch(() => {});
    try {
      cancelled.resolve(this.#source.cancel(reason));
    } catch (error) {
      cancelled.reject(error);
    }
  }

  handleSettled(): void {}

  /** Lets go of the source; settles as its cancel did, if it was cancelled. */
  release(): Promise<unknown> | undefined {
    if (this.#cancelled === undefined) {
      this.#hasEnded = true;
      this.#source.release();
    }
    return this.#cancelled;
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.#cancelled !== undefined;
  }

  /** Takes chunk after chunk while nothing has to wait anywhere. */
  #takeAtOnce(iterator: Iterator<unknown>): boolean {
    const chain = this.#chain;
    const turn = this.#turn;
    do {
      const result = iterator.next();
      if (typeof result !== "object" || result === null) checkResult(result);
      if (result.done) {
        this.#accept(result);
        return true;
      }
      const chunk = result.value;
      const promise = awaitable(chunk);
      if (promise !== undefined) {
        this.#await(awaitChunk(iterator, promise));
        return false;
      }
      this.chunksRead++;
      chain.feed(chunk);
    } while (chain.isClear() && !turn.isOver(1));
    return true;
  }

  // Made once: a read costs no closure.
  readonly #onRead = (result: Result): void => {
    this.isReading = false;
    this.#onResult(result);
  };
  readonly #onReadFailed = (reason: unknown): void => {
    try {
      this.#fail(reason);
    } catch (thrown) {
      this.#onThrown(thrown);
    }
  };

  #await(promise: PendingRead): void {
    this.isReading = true;
    promise.then(this.#onRead, this.#onReadFailed);
  }

  #onResult(result: Result): void {
    try {
      this.#accept(result);
    } catch (thrown) {
      this.#onThrown(thrown);
    }
  }

  #accept(result: Result): void {
    const chain = this.#chain;
    let done: boolean | undefined;
    let value: unknown;
    try {
      ({ done } = result);
      if (!done) ({ value } = result);
    } catch (reason) {
      // The result is the source's own.
      return this.#fail(reason);
    }
    if (done) return this.#end();
    if (this.#isOver) {
      // Given in the same step: the source has it no more.
      if (this.#isLeft) chain.feed(value);
      return;
    }
    this.chunksRead++;
    chain.feed(value);
    if (chain.hasWork()) chain.resume();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#hasEnded = true;
    this.#onEnd({ failed: false });
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#hasEnded = true;
    this.#onEnd({ failed: true, reason });
  }
}
