import { checkFunction, throwTypeError } from "../errors.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { describeStage } from "../kernels/inspect.ts";
import {
  type Counts,
  isOneKernel,
  NONE,
  type OneKernel,
  runOneByOne,
  WAIT,
} from "../kernels/kernel.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import { MapKernel } from "../kernels/map.ts";
import { operator } from "../kernels/operator.ts";
import { type Meaning, meaningOf } from "../kernels/registry.ts";
import type { Slice } from "../kernels/slice.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { callback, readOptions } from "../read_options.ts";
import { mayRetry, type RetryPolicy, retryReaders, waitMsAfter } from "../retry_policy.ts";
import type { Transformer } from "../web_types.ts";

/** What happens to a chunk that failed: the stream fails, or goes on without it or with another. */
export type AttemptAnswer<Other> = "fail" | "skip" | { readonly chunk: Other };

/** When `attempt` tries a chunk again, and what it does if that does not help. */
export interface AttemptOptions<I, Other = never> {
  /** How often a chunk is tried, the first time included: a positive integer or `Infinity`. Default: 5. */
  attempts?: number | undefined;
  /**
   * Milliseconds to wait after a first failure, from 0 to 2,147,483,647; twice as long after each other of
   * the same chunk. The wait is a random time between half of that and all of it. Default: 1000.
   */
  delayMs?: number | undefined;
  /** The longest wait in milliseconds, from 0 to 2,147,483,647. Default: 30,000. */
  maxDelayMs?: number | undefined;
  /** Given a failure, returns or promises whether to try again. Default: always. */
  shouldRetry?: ((reason: unknown) => boolean | PromiseLike<boolean>) | undefined;
  /**
   * Given the last failure, the chunk as it came and its index, returns or promises what happens: `"fail"` fails the
   * stream with that failure, `"skip"` goes on without the chunk, `{ chunk }` goes on with another. It is waited for, so
   * it may store the chunk elsewhere first. Default: `"fail"`.
   */
  onError?:
    | ((
      reason: unknown,
      chunk: I,
      index: number,
      // The compiler takes what an async function returns for any string.
    ) => AttemptAnswer<Other> | PromiseLike<AttemptAnswer<Other> | string>)
    | undefined;
}

const action = "create attempt";

/** The signature of `attempt`: one for a function and a stage, so that the parameters of one within it are typed. */
export type CreateAttempt = <I, O, Other = never>(
  stage:
    | ((chunk: I, index: number, context: StageContext) => O | PromiseLike<O>)
    | Transformer<I, O>,
  options?: AttemptOptions<I, Other>,
) => Transformer<I, O | Other>;

/**
 * Tries again what fails with a chunk, and decides by chunk what happens if that does not help: the stream fails, goes
 * on without the chunk, or goes on with another.
 *
 * A function is called as by `map`. A stage is `map`, `filter`, `tap`, `parallel`, another `attempt`, or a composition
 * of those but what has several calls in flight: they make at most one chunk of each, and remember none. Each attempt begins with the chunk as it came, and is
 * given the same index. The chunks behind it wait meanwhile; in `parallel` the other calls go on, and a call that
 * waits to be made again keeps its place. A wait ends at once when the stream is cancelled or aborted. The result of
 * `pipeline` counts what was skipped and retried.
 *
 * The attempts and waits are those of `retry`, with the same defaults: where another attempt cannot help, as in parsing,
 * say `attempts: 1` or answer by `shouldRetry`.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out.
 * @typeParam Other The type of the chunks that go on in place of those that failed.
 * @param stage A function, or a stage that makes at most one chunk of each.
 * @param options When to try again, and what to do then.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. It fails with the last failure of a chunk,
 * with what `shouldRetry` or `onError` throws, or with a `TypeError` if `onError` answers anything else.
 * @throws {TypeError} If `stage` is neither a function nor such a stage, an option is of the wrong type or unknown.
 * @throws {RangeError} If a number is out of range.
 *
 * @example A call that fails now and then
 * ```ts
 * import { attempt, pipeline } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * let calls = 0;
 * const store = (n: number) => {
 *   if (++calls === 2) throw new Error("busy");
 *   return n * 10;
 * };
 * const stored: number[] = [];
 * const { chunksRetried } = await pipeline(
 *   [1, 2, 3],
 *   attempt(store, { attempts: 3, delayMs: 1 }),
 *   (n) => void stored.push(n),
 * );
 *
 * assert.deepEqual([stored, chunksRetried], [[10, 20, 30], 1]);
 * ```
 *
 * @example Bad lines go elsewhere
 * ```ts
 * import { attempt, pipeline } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const bad: string[] = [];
 * const good: unknown[] = [];
 * const { chunksSkipped } = await pipeline(
 *   ["1", "x", "3"],
 *   attempt((line: string) => JSON.parse(line), {
 *     attempts: 1,
 *     onError: (_reason, line) => {
 *       bad.push(line);
 *       return "skip";
 *     },
 *   }),
 *   (value) => void good.push(value),
 * );
 *
 * assert.deepEqual([good, bad, chunksSkipped], [[1, 3], ["x"], 1]);
 * ```
 */
export const attempt: CreateAttempt = createAttempt;

function createAttempt<I, O>(
  stage: unknown,
  options: AttemptOptions<I, O> = {},
): Transformer<I, O> {
  const makeKernels = typeof stage === "function" ? ofFunction(stage) : ofStage(stage);
  const fn = typeof stage === "function" ? stage as StageFunction : meaningOf(stage as object)?.fn;
  const readers = { ...retryReaders(), onError: callback() };
  const plan = readOptions(action, options, readers) as ChunkPlan;
  if ("openWith" in makeKernels) return attemptCalls(makeKernels, plan);
  const makeKernel = () => new AttemptKernel(makeKernels.map((make) => make()), plan);
  return kernelTransformer(makeKernel, "attempt", fn);
}

type MakeKernels = readonly (() => CountingKernel)[];
type Caller = Required<Pick<Meaning, "fn" | "openWith">>;

function ofFunction(fn: unknown): MakeKernels {
  checkFunction(action, "fn", fn);
  return [() => new MapKernel(fn as StageFunction)];
}

/** What a stage is made of; throws unless that makes at most one chunk of each. */
function ofStage(stage: unknown): MakeKernels | Caller {
  if (typeof stage !== "object" || stage === null) {
    throwTypeError(action, "stage", "a function or a stage", stage);
  }
  const { stages = [stage], openWith, fn } = meaningOf(stage) ?? {};
  if (openWith !== undefined) return { openWith, fn: fn! };
  return stages.map((part) => {
    const { makeKernel, isGenerator } = meaningOf(part as object) ?? {};
    const kernel = isGenerator ? undefined : makeKernel?.();
    if (kernel === undefined || !isOneKernel(kernel) || kernel.remembers) {
      throw new TypeError(
        `Cannot ${action}: stage must be made of map, filter and tap, or be parallel, which make at most one chunk of ` +
          `each and remember none, got ${describeStage(stage)}`,
      );
    }
    return makeKernel as () => CountingKernel;
  });
}

/** The same for a stage whose calls are several at a time: each call is tried again by itself. */
function attemptCalls<I, O>({ fn, openWith }: Caller, plan: ChunkPlan): Transformer<I, O> {
  return operator((controller, context) => {
    const policy = new ChunkPolicy(plan);
    const call: StageFunction = async (chunk, index) => {
      const tryOnce = async (): Promise<Outcome> => ({ result: await fn(chunk, index, context) });
      const { result } = await tryOnce().catch((reason) =>
        policy.recover(reason, chunk, index, tryOnce)
      );
      return result;
    };
    const operation = openWith(call)(controller, context);
    return {
      ...operation,
      cancel(reason) {
        policy.stop();
        return operation.cancel?.(reason);
      },
      addCounts: (counts) => policy.addCounts(counts),
      get failedIndex() {
        return operation.failedIndex;
      },
      get doneCount() {
        return operation.doneCount!;
      },
    };
  }, { name: "attempt", fn, remembers: "nothing" });
}

/** What is done about a chunk that failed. */
interface ChunkPlan extends RetryPolicy {
  readonly onError: ((reason: unknown, chunk: unknown, index: number) => unknown) | undefined;
}

/** What became of a chunk: another one, or `NONE`. In a box, since a chunk may be a promise. */
interface Outcome {
  readonly result: unknown;
}

const nothing: Outcome = { result: NONE };

/** Tries chunks again and says what goes on in their place, in one stream. */
class ChunkPolicy {
  readonly #plan: ChunkPlan;
  /** Each ends a wait. */
  readonly #waits = new Set<() => void>();
  #isStopped = false;
  #skipped = 0;
  #retried = 0;

  constructor(plan: ChunkPlan) {
    this.#plan = plan;
  }

  /** Whether anything but failing can be done about a failure. */
  get canHelp(): boolean {
    const { attempts, onError } = this.#plan;
    return !this.#isStopped && (attempts > 1 || onError !== undefined);
  }

  /** A chunk has failed: calls `tryAgain` as long as that may help, and then asks `onError`. */
  async recover(
    reason: unknown,
    chunk: unknown,
    index: number,
    tryAgain: () => Outcome | Promise<Outcome>,
  ): Promise<Outcome> {
    let failures = 1;
    while (!this.#isStopped && await mayRetry(this.#plan, failures, reason)) {
      if (failures === 1) this.#retried++;
      await this.#wait(waitMsAfter(this.#plan, failures));
      if (this.#isStopped) return nothing;
      try {
        return await tryAgain();
      } catch (error) {
        reason = error;
        failures++;
      }
    }
    if (this.#isStopped) throw reason;
    const answer = await this.#plan.onError?.(reason, chunk, index) ?? "fail";
    if (answer === "fail") throw reason;
    if (answer === "skip") {
      this.#skipped++;
      return nothing;
    }
    if (typeof answer !== "object" || !("chunk" in answer)) {
      throwTypeError("run attempt", "what onError answers", '"fail", "skip" or { chunk }', answer);
    }
    return { result: answer.chunk };
  }

  /** Ends all waits: the stream was cancelled or aborted. */
  stop(): void {
    this.#isStopped = true;
    for (const end of this.#waits) end();
  }

  addCounts(counts: Counts): void {
    counts.chunksSkipped += this.#skipped;
    counts.chunksRetried += this.#retried;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waits.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#waits.add(end);
    });
  }
}

/** A kernel of one to one that counts the chunks it was given. */
type CountingKernel = OneKernel & { index: number };

/** What `attempt` does: each chunk walks through the kernels, and again if it fails there. */
class AttemptKernel implements OneKernel {
  /** How many chunks it was given. */
  index = 0;
  readonly #kernels: readonly CountingKernel[];
  readonly #policy: ChunkPolicy;
  #promise: Promise<Outcome> | undefined;
  /** Where the chunk is that is under way. */
  #at = 0;

  constructor(kernels: readonly CountingKernel[], plan: ChunkPlan) {
    this.#kernels = kernels;
    this.#policy = new ChunkPolicy(plan);
  }

  one(chunk: unknown): unknown {
    const index = this.index++;
    try {
      const result = this.#walk(chunk, 0);
      if (result !== WAIT) return result;
      const pending = this.#promise!;
      this.#promise = pending.catch((reason) => this.#recover(reason, chunk, index));
    } catch (reason) {
      if (!this.#policy.canHelp) throw reason;
      this.#promise = this.#recover(reason, chunk, index);
    }
    return WAIT;
  }

  takePromise(): unknown {
    const promise = this.#promise;
    this.#promise = undefined;
    return promise;
  }

  settle(outcome: unknown): unknown {
    return (outcome as Outcome).result;
  }

  run(slice: Slice): number {
    return runOneByOne(this, slice);
  }

  stop(reason: unknown): void {
    this.#policy.stop();
    for (const kernel of this.#kernels) kernel.stop(reason);
  }

  addCounts(counts: Counts): void {
    this.#policy.addCounts(counts);
    for (const kernel of this.#kernels) kernel.addCounts?.(counts);
  }

  #recover(reason: unknown, chunk: unknown, index: number): Promise<Outcome> {
    return this.#policy.recover(reason, chunk, index, () => {
      // To each function it is the same chunk again, not another one.
      for (let at = 0; at <= this.#at; at++) this.#kernels[at]!.index--;
      const result = this.#walk(chunk, 0);
      return result === WAIT ? this.#promise! : { result };
    });
  }

  /** Lets a chunk walk on from a kernel; where that answers `WAIT`, `#promise` has its outcome. */
  #walk(chunk: unknown, from: number): unknown {
    const kernels = this.#kernels;
    for (let at = from; at < kernels.length; at++) {
      this.#at = at;
      const kernel = kernels[at]!;
      const result = kernel.one(chunk);
      if (result === NONE) return NONE;
      if (result === WAIT) {
        this.#promise = this.#walkOn(kernel.takePromise(), chunk, at);
        return WAIT;
      }
      chunk = result;
    }
    return chunk;
  }

  async #walkOn(promise: unknown, chunk: unknown, at: number): Promise<Outcome> {
    const settled = this.#kernels[at]!.settle(await promise, chunk);
    const result = settled === NONE ? NONE : this.#walk(settled, at + 1);
    return result === WAIT ? await this.#promise! : { result };
  }
}
