import { checkFunction } from "../errors.ts";
import { runManyNatively } from "../kernels/drain_loop.ts";
import { FlatMapKernel } from "../kernels/flat_map.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import type { OperationContext } from "../kernels/operation.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { boolean, integer, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { InnerSources } from "./inner_sources.ts";

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
    super("flatten a chunk", fn, controller, context);
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
