import { type Counts, NONE, type OneKernel, WAIT } from "../kernels/kernel.ts";
import type { Slice } from "../kernels/slice.ts";
import type { KernelView } from "./kernel_view.ts";
import type { Call } from "./stage_events.ts";

/** A kernel of one to one that is looked at. */
export class ProbedOneKernel implements OneKernel {
  readonly #kernel: OneKernel;
  readonly #view: KernelView;
  #waiting: Call | undefined;

  constructor(kernel: OneKernel, view: KernelView) {
    this.#kernel = kernel;
    this.#view = view;
  }

  get index(): number | undefined {
    return this.#kernel.index;
  }

  one(chunk: unknown): unknown {
    this.#view.beginSlice();
    return this.#step(chunk);
  }

  run(slice: Slice): number {
    const { items, count } = slice;
    let kept = 0;
    let i = 0;
    this.#view.beginSlice();
    try {
      for (; i < count; i++) {
        const result = this.#step(items[i]);
        if (result === WAIT) break;
        if (result !== NONE) items[kept++] = result;
      }
    } finally {
      slice.kept = kept;
    }
    return i;
  }

  takePromise(): unknown {
    const call = this.#waiting!;
    this.#waiting = undefined;
    return this.#view.events.await(this.#kernel.takePromise() as PromiseLike<unknown>, call);
  }

  settle(value: unknown, chunk: unknown): unknown {
    this.#view.beginSlice();
    let result: unknown;
    try {
      result = this.#kernel.settle(value, chunk);
    } catch (reason) {
      this.#view.fail(undefined, reason);
      throw reason;
    }
    if (result !== NONE) this.#view.give(result);
    return result;
  }

  flush(): unknown {
    return this.#give(this.#kernel.flush?.() ?? NONE);
  }

  flushNow(): unknown {
    return this.#give(this.#kernel.flushNow?.() ?? NONE);
  }

  #give(held: unknown): unknown {
    if (held !== NONE) {
      this.#view.beginSlice();
      this.#view.give(held);
    }
    return held;
  }

  stop(reason: unknown): void {
    this.#view.events.fail("cancel", reason);
    this.#kernel.stop(reason);
  }

  addCounts(counts: Counts): void {
    this.#kernel.addCounts?.(counts);
  }

  #step(chunk: unknown): unknown {
    const call = this.#view.begin(chunk);
    let result: unknown;
    try {
      result = this.#kernel.one(chunk);
    } catch (reason) {
      this.#view.fail(call, reason);
      throw reason;
    }
    if (result === WAIT) {
      this.#waiting = call;
      return WAIT;
    }
    if (result !== NONE) this.#view.give(result);
    this.#view.events.endCall(call, true);
    return result;
  }
}
