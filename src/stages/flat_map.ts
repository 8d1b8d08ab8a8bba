import { awaitable } from "../awaitable.ts";
import { checkResult } from "../check_result.ts";
import { checkFunction } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { runManyNatively } from "../kernels/drain_loop.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { type Answer, DONE, FAILED, type ManyKernel, MORE, WAITS } from "../kernels/kernel.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import type { OperationContext } from "../kernels/operation.ts";
import { operator } from "../kernels/operator.ts";
import type { Slice } from "../kernels/slice.ts";
import { AbortableContext, type StageContext } from "../kernels/stage_context.ts";
import { boolean, integer, readOptions } from "../read_options.ts";
import { giveUpSource } from "../source/find_source.ts";
import { awaitChunk } from "../source/open_source.ts";
import type { Transformer } from "../web_types.ts";
import { type AnyIterator, findInner, InnerSources } from "./inner_sources.ts";

/** What the function given to `flatMap` may return: chunks, at once or as they come. */
export type FlatMapResult<O> = (Iterable<O | PromiseLike<O>> & object) | AsyncIterable<O>;

/** How `flatMap` works. */
export interface FlatMapOptions {
  /** How many iterables may be read at the same time, a positive integer or `Infinity`. Default: 1. */
  concurrency?: number | undefined;
  /** Whether the chunks of an iterable wait for those of the iterables before it. Default: `true`. */
  ordered?: boolean | undefined;
}

/**
 * Replaces each chunk by any number of chunks: those of the iterable or async iterable that `fn` returns.
 *
 * An array goes out whole. Any other iterable is read only while there is room in the queue, so it may
 * be endless; when the stream is cancelled it is closed by its `return()`. A text and bytes
 * are refused: return `[text]`, or `[...text]` for its characters. Promises in an iterable are awaited.
 *
 * With a `concurrency` above 1 so many iterables are read at the same time, each one chunk ahead of the room in the
 * queue. `ordered`, the chunks of one iterable go out after all of those before it; otherwise they go out as they
 * come. The first failure is the stream's; in order, after what comes before it. If the source or an earlier stage
 * fails, all iterables that were begun are read to their end first.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a
 * `signal` that aborts when the stream is cancelled or aborted; returns an iterable, an async
 * iterable, or a promise of either.
 * @param options How many at a time, and in which order the chunks go out.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function, `concurrency` not a number, `ordered` not a boolean, or an option is
 * unknown.
 * @throws {RangeError} If `concurrency` is neither a positive integer nor `Infinity`.
 *
 * @example Words of lines
 * ```ts
 * import { flatMap } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const words = ReadableStream.from(["to be", "or not"])
 *   .pipeThrough(new TransformStream(flatMap((line: string) => line.split(" "))));
 *
 * assert.deepEqual(await Array.fromAsync(words), ["to", "be", "or", "not"]);
 * ```
 *
 * @example Pages of several lists at the same time
 * ```ts
 * import { flatMap, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * async function* readPages(list: string) {
 *   for (const page of [1, 2]) yield await Promise.resolve(`${list}${page}`);
 * }
 *
 * const pages = flatMap(readPages, { concurrency: 3 });
 * assert.deepEqual(await toArray(["a", "b"], pages), ["a1", "a2", "b1", "b2"]);
 * ```
 */
export function flatMap<I, O>(
  fn: (
    chunk: I,
    index: number,
    context: StageContext,
  ) => FlatMapResult<O> | PromiseLike<FlatMapResult<O>>,
  options: FlatMapOptions = {},
): Transformer<I, O> {
  const action = "create flatMap";
  checkFunction(action, "fn", fn, true);
  const readers = { concurrency: integer(1, 1, true), ordered: boolean(true) };
  const limits = readOptions(action, options, readers);
  if (limits.concurrency > 1) {
    return operator(
      (controller, context) => new FlatPool(fn as StageFunction, limits, controller, context),
      { name: "flatMap", fn, remembers: "nothing" },
    );
  }
  const makeKernel = () => new FlatMapKernel(fn as StageFunction);
  return kernelTransformer(makeKernel, "flatMap", fn, runManyNatively);
}

const action = "flatten a chunk";

/** What is read of one chunk. */
interface Slot {
  /** There while it waits for its turn. */
  onTurn: (() => void) | undefined;
}

/** What `flatMap` with `concurrency` does in one stream. */
class FlatPool extends InnerSources {
  readonly #concurrency: number;
  readonly #ordered: boolean;
  /** In the order of the chunks. */
  readonly #slots = new Set<Slot>();

  constructor(
    fn: StageFunction,
    { concurrency, ordered }: { readonly concurrency: number; readonly ordered: boolean },
    controller: TransformStreamDefaultController<unknown>,
    context: OperationContext,
  ) {
    super(action, fn, controller, context);
    this.#concurrency = concurrency;
    this.#ordered = ordered;
  }

  override transform(chunk: unknown): Promise<void> {
    const slot: Slot = { onTurn: undefined };
    this.#slots.add(slot);
    void this.#run(chunk, slot);
    return this.until(() => this.#slots.size < this.#concurrency);
  }

  protected override get isIdle(): boolean {
    return this.#slots.size === 0;
  }

  async #run(chunk: unknown, slot: Slot): Promise<void> {
    try {
      await this.call(chunk, (chunk) => this.#give(chunk, slot));
    } catch (reason) {
      // With an order, it fails when all before it have been passed on.
      if (!this.#isFirst(slot)) await this.#turnOf(slot);
      return this.fail(reason);
    }
    this.#slots.delete(slot);
    if (this.#ordered) {
      for (const first of this.#slots) {
        first.onTurn?.();
        break;
      }
    }
    this.notify();
  }

  #give(chunk: unknown, slot: Slot): void | Promise<void> {
    if (this.#isFirst(slot)) return this.give(chunk);
    return this.#turnOf(slot).then(() => this.give(chunk));
  }

  #isFirst(slot: Slot): boolean {
    if (!this.#ordered) return true;
    for (const first of this.#slots) return first === slot;
    return true;
  }

  /** Never, if all is over before. */
  #turnOf(slot: Slot): Promise<void> {
    return new Promise((resolve) => slot.onTurn = resolve);
  }
}

/** An array up to this long goes out whole; a longer one in parts, so that others get their turn. */
const wholeLength = 128;

/** What `flatMap` does. */
class FlatMapKernel implements ManyKernel {
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
    const found = findInner(action, result);
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
