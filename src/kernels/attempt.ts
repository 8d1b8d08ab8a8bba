import { type ChunkPlan, ChunkPolicy, type Outcome } from "./chunk_policy.ts";
import { type Counts, NONE, type OneKernel, runOneByOne, WAIT } from "./kernel.ts";
import type { Slice } from "./slice.ts";

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
