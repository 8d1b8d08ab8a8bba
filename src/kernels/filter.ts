import { isPromiseLike } from "../is_promise_like.ts";
import { FunctionKernel } from "./function_kernel.ts";
import { NONE, type OneKernel, WAIT } from "./kernel.ts";
import type { Slice } from "./slice.ts";

/** What `filter` does. */
export class FilterKernel extends FunctionKernel implements OneKernel {
  one(chunk: unknown): unknown {
    const { fn } = this;
    const verdict = fn(chunk, this.index++, this.context);
    if (verdict === true) return chunk;
    if (verdict === false) return NONE;
    if (isPromiseLike(verdict)) {
      this.promise = verdict;
      return WAIT;
    }
    return verdict ? chunk : NONE;
  }

  run(slice: Slice): number {
    const { items, count } = slice;
    const { fn, index, context } = this;
    let kept = 0;
    let i = 0;
    try {
      for (; i < count; i++) {
        const chunk = items[i];
        const verdict = fn(chunk, index + i, context);
        if (verdict === false) continue;
        if (verdict !== true) {
          if (isPromiseLike(verdict)) {
            this.promise = verdict;
            break;
          }
          if (!verdict) continue;
        }
        items[kept++] = chunk;
      }
    } finally {
      slice.kept = kept;
      this.index = index + Math.min(i + 1, count);
    }
    return i;
  }

  settle(verdict: unknown, chunk: unknown): unknown {
    return verdict ? chunk : NONE;
  }
}
