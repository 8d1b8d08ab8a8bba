import { throwTypeError } from "../errors.ts";
import { mayRetry, type RetryPolicy, waitMsAfter } from "../retry_policy.ts";
import { type Counts, NONE, type OneKernel, runOneByOne, WAIT } from "./kernel.ts";
import type { Slice } from "./slice.ts";

/** What is done about a chunk that failed. */
export interface ChunkPlan extends RetryPolicy {
  readonly onError: ((reason: unknown, chunk: unknown, index: number) => unknown) | undefined;
}

/** What became of a chunk: another one, or `NONE`. In a box, since a chunk may be a promise. */
export interface Outcome {
  readonly result: unknown;
}

const nothing: Outcome = { result: NONE };

/** Tries chunks again and says what goes on in their place, in one stream. */
export class ChunkPolicy {
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
export type CountingKernel = OneKernel & { index: number };

/** What `attempt` does: each chunk walks through the kernels, and again if it fails there. */
export class AttemptKernel implements OneKernel {
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
