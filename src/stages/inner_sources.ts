import { awaitable } from "../awaitable.ts";
import { checkResult } from "../check_result.ts";
import { Condition } from "../condition.ts";
import { throwTypeError } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { Demand } from "../kernels/demand.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import type { Operation, OperationContext } from "../kernels/operation.ts";
import { findSource, type FoundSource, giveUpSource } from "../source/find_source.ts";
import { awaitChunk } from "../source/open_source.ts";

export type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

/** Finds how what a function gave for a chunk is read. */
export function findInner(action: string, result: unknown): FoundSource {
  return findSource(action, result, "the result of fn") ??
    throwTypeError(action, "the result of fn", "an iterable or an async iterable", result);
}

/**
 * Calls a function with chunks, and reads the iterables that it returns, several at the same time, each only while there
 * is room in the queue.
 */
export abstract class InnerSources implements Operation<unknown> {
  readonly #action: string;
  readonly #fn: StageFunction;
  readonly #controller: TransformStreamDefaultController<unknown>;
  protected readonly context: OperationContext;
  #index = 0;
  readonly #demand: Demand;
  /** Those to be closed if it ends early. */
  readonly #open = new Set<AnyIterator>();
  /** Those whose next chunk is waited for. */
  readonly #asked = new Set<AnyIterator>();
  readonly #change = new Condition();
  #failure: { readonly reason: unknown } | undefined;
  #waiting = 0;
  #stopped: Promise<void> | undefined;
  protected isOver = false;

  /** To be made by `start`; `action` is whose errors they are. */
  constructor(
    action: string,
    fn: StageFunction,
    controller: TransformStreamDefaultController<unknown>,
    context: OperationContext,
  ) {
    this.#action = action;
    this.#fn = fn;
    this.#controller = controller;
    this.context = context;
    this.#demand = new Demand(controller);
  }

  abstract transform(chunk: unknown): Promise<void>;

  /** Whether no call is under way and none waits. */
  protected abstract readonly isIdle: boolean;

  flush(): Promise<void> {
    this.hearNothing();
    return this.until(() => this.isIdle);
  }

  // The source failed; what is read meanwhile is still passed on.
  drain(): Promise<void> {
    return this.flush();
  }

  hearNothing(): void {
    this.#demand.hearNothing();
  }

  cancel(): Promise<void> {
    return this.stop();
  }

  /** Calls the function, reads what it returns, a promise of it included, and passes each chunk to `take`. */
  protected async call(
    chunk: unknown,
    take: (chunk: unknown) => void | Promise<void>,
  ): Promise<void> {
    const result = this.#fn(chunk, this.#index++, this.context);
    const iterable = isPromiseLike(result) ? await result : result;
    if (this.isOver) return giveUpSource(iterable);
    const found = findInner(this.#action, iterable);
    const { isAsync } = found;
    const iterator = found.iterate();
    // It is open as long as it has not failed or ended by itself; one that is asked asynchronously may hang.
    if (isAsync) this.#open.add(iterator);
    while (this.#mayGoOnNow() || await this.#mayGoOn() && !this.isOver) {
      let value: unknown;
      try {
        if (isAsync) this.#asked.add(iterator);
        const next = (isAsync ? await iterator.next() : iterator.next()) as IteratorResult<unknown>;
        this.#asked.delete(iterator);
        if (this.isOver) break;
        checkResult(next, this.#action);
        if (next.done) return void this.#open.delete(iterator);
        ({ value } = next);
        const chunk = isAsync ? undefined : awaitable(value);
        this.#open.add(iterator);
        if (chunk !== undefined) {
          ({ value } = await awaitChunk(iterator as Iterator<unknown>, chunk));
          if (this.isOver) return;
        }
      } catch (reason) {
        this.#open.delete(iterator);
        throw reason;
      }
      const taken = take(value);
      if (taken !== undefined) await taken;
      if (this.isOver) return;
      if (!isAsync) this.#open.delete(iterator);
    }
    // One of promises was closed by `stop`.
    if (!isAsync) iterator.return?.();
  }

  /** Gives a chunk to the stream. */
  protected give(chunk: unknown): void {
    if (this.isOver) return;
    try {
      this.#controller.enqueue(chunk);
    } catch (error) {
      // A stream that was cancelled, of which `cancel` is yet to hear, still has a desired size; it has not failed.
      if (this.#controller.desiredSize === null) throw error;
      if (this.#demand.isUnheard) this.context.stop(error);
      this.stop().catch(() => {});
    }
  }

  /** Fails the stream: what waits, or by the controller. */
  protected fail(reason: unknown): void {
    if (this.isOver) return;
    this.#failure = { reason };
    this.context.stop(reason);
    this.stop().catch(() => {});
    if (this.#waiting === 0) this.#controller.error(reason);
  }

  /** Ends it for good; answers when all is closed. */
  protected stop(): Promise<void> {
    return this.#stopped ??= this.#close();
  }

  async #close(): Promise<void> {
    this.isOver = true;
    this.#demand.askNow();
    const open = [...this.#open];
    this.#open.clear();
    this.#change.notifyAll();
    const answers = await Promise.allSettled(open.map(async (iterator) => {
      const closed = iterator.return?.();
      // A generator answers only after the `next()` it hangs in, which may be never.
      if (this.#asked.has(iterator)) Promise.resolve(closed).catch(() => {});
      else await closed;
    }));
    for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
  }

  /** To be called when something has changed that `until` may wait for. */
  protected notify(): void {
    this.#change.notifyAll();
  }

  /** Waits until something is so, or all is over; fails with its failure. */
  protected async until(isSo: () => boolean): Promise<void> {
    this.#waiting++;
    // No step later than it must be: what is so already is not waited for.
    while (!this.isOver && !isSo()) await this.#change.wait();
    this.#waiting--;
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  #mayGoOnNow(): boolean {
    return !this.isOver && this.context.turn?.isOver(1) !== true && this.#demand.isThere();
  }

  /** Waits for room; tells whether it goes on. */
  async #mayGoOn(): Promise<boolean> {
    const { turn } = this.context;
    if (turn?.isOver(1)) await new Promise<void>((resolve) => turn.next(resolve));
    const isMet = () => this.isOver || this.#demand.isThere();
    while (!isMet()) await this.#demand.share(isMet);
    return !this.isOver;
  }
}
