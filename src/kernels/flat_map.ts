import { checkResult } from "../check_result.ts";
import { throwTypeError } from "../errors.ts";
import { awaitable } from "../awaitable.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { findSource, giveUpSource } from "../source/find_source.ts";
import { awaitChunk } from "../source/open_source.ts";
import type { StageFunction } from "./function_kernel.ts";
import { type Answer, DONE, FAILED, type ManyKernel, MORE, WAITS } from "./kernel.ts";
import { AbortableContext } from "./stage_context.ts";
import type { Slice } from "./slice.ts";

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

/** An array up to this long goes out whole; a longer one in parts, so that others get their turn. */
const wholeLength = 128;

const action = "flatten a chunk";

/** What `flatMap` does. */
export class FlatMapKernel implements ManyKernel {
  readonly #fn: StageFunction;
  readonly #context = new AbortableContext();
  /** How many chunks the function was called with. */
  index = 0;
  /** What the last chunk made and was not given yet: an array from `#at` on, or an iterator. */
  #array: readonly unknown[] | undefined;
  #at = 0;
  #end = 0;
  #iterator: AnyIterator | undefined;
  #isAsync = false;
  /** What `fn` has promised. */
  #promised: PromiseLike<unknown> | undefined;
  /** Whether what is waited for is a chunk of the iterator, not what `fn` promised. */
  #isPulling = false;

  constructor(fn: StageFunction) {
    this.#fn = fn;
  }

  get hasMore(): boolean {
    return this.#iterator !== undefined || this.#array !== undefined;
  }

  /** An array is in memory already: to wait for room would save none. */
  get needsRoom(): boolean {
    return this.#array === undefined;
  }

  run(slice: Slice): Answer {
    const { items, count } = slice;
    const fn = this.#fn;
    let taken = 0;
    let answer: Answer = DONE;
    try {
      while (taken < count && answer === DONE && slice.outCount < slice.limit) {
        const chunk = items[taken];
        items[taken++] = undefined;
        const result = fn(chunk, this.index++, this.#context);
        if (isPromiseLike(result)) {
          slice.promise = this.#promised = result;
          answer = WAITS;
        } else {
          this.#open(result);
          answer = this.#drain(slice);
        }
      }
    } catch (reason) {
      slice.reason = reason;
      answer = FAILED;
    }
    slice.taken = taken;
    return answer;
  }

  more(slice: Slice): Answer {
    try {
      return this.#drain(slice);
    } catch (reason) {
      slice.reason = reason;
      return FAILED;
    }
  }

  settle(value: unknown, give: (chunk: unknown) => void): void {
    this.#promised = undefined;
    if (!this.#isPulling) return this.#open(value);
    this.#isPulling = false;
    const result = value as IteratorResult<unknown>;
    const iterator = this.#iterator;
    // One that has ended is not closed, nor one that gives no result.
    this.#iterator = undefined;
    checkResult(result, action);
    if (result.done) return;
    this.#iterator = iterator;
    give(result.value);
  }

  drop(): unknown {
    const iterator = this.#iterator;
    this.#iterator = this.#array = undefined;
    return iterator?.return?.();
  }

  stop(reason: unknown): unknown {
    this.#context.stop(reason);
    const closed = this.drop();
    if (this.#promised !== undefined) this.#promised.then(giveUpSource, () => {});
    if (!this.#isPulling) return closed;
    // A generator answers only after the `next()` it hangs in, which may be never.
    Promise.resolve(closed).catch(() => {});
  }

  #open(result: unknown): void {
    if (Array.isArray(result)) {
      this.#array = result;
      this.#at = 0;
      // What is added to it meanwhile is not of this chunk.
      this.#end = result.length;
      return;
    }
    const found = findSource(action, result, "the result of fn");
    if (found === undefined) {
      const need = "an iterable or an async iterable";
      throwTypeError(action, "the result of fn", need, result);
    }
    this.#iterator = found.iterate();
    this.#isAsync = found.isAsync;
  }

  #drain(slice: Slice): Answer {
    if (this.#array !== undefined) return this.#drainArray(slice, this.#array);
    const iterator = this.#iterator;
    if (iterator === undefined) return DONE;
    if (this.#isAsync) {
      return this.#wait(slice, () => (iterator as AsyncIterator<unknown>).next());
    }
    // While it runs it is not ours to close: one that failed or ended by itself is not closed again.
    this.#iterator = undefined;
    while (slice.outCount < slice.limit) {
      const result = (iterator as Iterator<unknown>).next();
      if (typeof result !== "object" || result === null) checkResult(result, action);
      if (result.done) return DONE;
      const { value } = result;
      const chunk = awaitable(value);
      if (chunk !== undefined) {
        this.#iterator = iterator;
        return this.#wait(slice, () => awaitChunk(iterator as Iterator<unknown>, chunk));
      }
      slice.give(value);
    }
    this.#iterator = iterator;
    return MORE;
  }

  #drainArray(slice: Slice, array: readonly unknown[]): Answer {
    // It may have become shorter since.
    const last = Math.min(this.#end, array.length);
    const end = Math.min(last, this.#at + Math.max(slice.limit, wholeLength));
    const { out } = slice;
    let count = slice.outCount;
    try {
      for (let i = this.#at; i < end; i++) {
        const value = array[i] as { then?: unknown } | null;
        // Asked here and not by the shared helper: of one stage's chunks alone it is cheap to answer.
        if (typeof value === "object" && value !== null && typeof value.then === "function") {
          this.#at = i + 1;
          return this.#wait(slice, async () => ({ done: false, value: await value }));
        }
        out[count++] = value;
      }
    } finally {
      slice.outCount = count;
    }
    if (end === last) {
      this.#array = undefined;
      return DONE;
    }
    this.#at = end;
    return MORE;
  }

  #wait(slice: Slice, read: () => PromiseLike<unknown>): Answer {
    this.#isPulling = true;
    slice.promise = this.#settled(read);
    return WAITS;
  }

  async #settled(read: () => PromiseLike<unknown>): Promise<unknown> {
    try {
      return await read();
    } catch (reason) {
      this.#iterator = this.#array = undefined;
      throw reason;
    }
  }
}
