import { checkFunction } from "../errors.ts";
import { Fifo } from "../fifo.ts";
import { InFlight } from "../in_flight.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import type { OperationContext } from "../kernels/operation.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { integer, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import type { FlatMapResult } from "./flat_map.ts";
import { InnerSources } from "./inner_sources.ts";
import {
  type DistinctOptions,
  type DistinctPlan,
  KnownKeys,
  readDistinctOptions,
} from "./known_keys.ts";
import { thenUse } from "./then_use.ts";

/** How `expand` works, and its bounds. */
export interface ExpandOptions<T> {
  /** How many calls may be in flight at a time, a positive integer or `Infinity`. Default: 1. */
  concurrency?: number | undefined;
  /** How many chunks may wait for a call, a positive integer; one more fails the stream. Default: 10,000. */
  maxPending?: number | undefined;
  /** Skips chunks that were there before, with the options of `distinct`. Default: none is skipped. */
  distinct?: DistinctOptions<T> | undefined;
}

/**
 * Passes each chunk on, and calls a function with it that gives further chunks, with which it does the same, until
 * nothing is left: a crawler, a tree, pages that name the next.
 *
 * Chunks go out as they are found, and are called with in that order; with a `concurrency` of 1 that is by
 * levels. What the function gives is read only while there is room, one chunk ahead for each call; the next chunk of
 * the source is read when none waits and a call is free. The first failure is the stream's. If the source or an
 * earlier stage fails, what has begun goes on until nothing is left.
 *
 * @typeParam T The type of the chunks.
 * @param fn Gets the chunk, the number of the call, counted from 0 in each stream, and a context with a `signal`;
 * returns an iterable, an async iterable, or a promise of either.
 * @param options How many calls at a time, and the bounds.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. More than `maxPending` chunks that
 * wait fail the stream with a `RangeError`.
 * @throws {TypeError} If `fn` is not a function, a number is not one, or an option is unknown.
 * @throws {RangeError} If a number is not a positive integer, nor `concurrency` `Infinity`.
 *
 * @example A crawler
 * ```ts
 * import { expand, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const links: Record<string, string[]> = { "/": ["/a", "/b"], "/a": ["/b", "/"], "/b": ["/c"], "/c": [] };
 * const crawl = expand((page: string) => Promise.resolve(links[page]!), { distinct: {} });
 *
 * assert.deepEqual(await toArray(["/"], crawl), ["/", "/a", "/b", "/c"]);
 * ```
 */
export function expand<T>(
  fn: (
    chunk: T,
    index: number,
    context: StageContext,
  ) => FlatMapResult<T> | PromiseLike<FlatMapResult<T>>,
  options: ExpandOptions<T> = {},
): Transformer<T, T> {
  const action = "create expand";
  checkFunction(action, "fn", fn, true);
  const plan = {
    fn: fn as StageFunction,
    ...readOptions(action, options, {
      concurrency: integer(1, 1, true),
      maxPending: integer(10_000),
      distinct: (_action, _name, distinct) =>
        distinct === undefined ? undefined : readDistinctOptions(action, distinct as object),
    }),
  };
  return operator((controller, context) => new Expansion(plan, controller, context), {
    name: "expand",
    fn,
  });
}

/** What `expand` was given. */
interface ExpansionPlan {
  readonly fn: StageFunction;
  readonly concurrency: number;
  readonly maxPending: number;
  readonly distinct: DistinctPlan | undefined;
}

const action = "expand a chunk";

/** What `expand` does in one stream. */
class Expansion extends InnerSources {
  readonly #plan: ExpansionPlan;
  readonly #known: KnownKeys | undefined;
  /** Chunks for which the function has not been called yet. */
  readonly #pending = new Fifo();
  readonly #calls: InFlight;
  #found = 0;

  constructor(
    plan: ExpansionPlan,
    controller: TransformStreamDefaultController<unknown>,
    context: OperationContext,
  ) {
    super(action, plan.fn, controller, context);
    this.#plan = plan;
    this.#calls = new InFlight(plan.concurrency);
    if (plan.distinct !== undefined) this.#known = new KnownKeys(action, plan.distinct);
  }

  override async transform(chunk: unknown): Promise<void> {
    await this.#take(chunk);
    this.#start();
    await this.until(() => this.#pending.length === 0 && !this.#calls.isFull);
  }

  protected override get isIdle(): boolean {
    return this.#pending.length === 0 && this.#calls.count === 0;
  }

  /** Passes a chunk on, and keeps it for the function, if it is new. */
  #take(chunk: unknown): void | Promise<void> {
    const { distinct } = this.#plan;
    if (distinct === undefined) return this.#add(chunk);
    return thenUse(distinct.key(chunk, this.#found++, this.context), (key) => {
      if (this.#known!.add(key)) this.#add(chunk);
    });
  }

  #add(chunk: unknown): void {
    const { maxPending } = this.#plan;
    this.give(chunk);
    if (this.#pending.length >= maxPending) {
      throw new RangeError(`Cannot ${action}: more than ${maxPending} chunks are pending`);
    }
    this.#pending.push(chunk);
    this.#start();
  }

  #start(): void {
    while (!this.isOver && !this.#calls.isFull && this.#pending.length > 0) {
      this.#calls.begin();
      void this.#run(this.#pending.shift());
    }
  }

  async #run(chunk: unknown): Promise<void> {
    try {
      await this.call(chunk, (chunk) => this.#take(chunk));
    } catch (reason) {
      return this.fail(reason);
    }
    this.#calls.end();
    this.#start();
    this.notify();
  }
}
