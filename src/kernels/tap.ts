import { isPromiseLike } from "../is_promise_like.ts";
import { FunctionKernel } from "./function_kernel.ts";
import { type OneKernel, WAIT } from "./kernel.ts";
import type { Slice } from "./slice.ts";

/** What `tap` does. */
export class TapKernel extends FunctionKernel implements OneKernel {
  one(chunk: unknown): unknown {
    const { fn } = this;
    const result = fn(chunk, this.index++, this.context);
    if (result !== undefined && isPromiseLike(result)) {
      this.promise = result;
      return WAIT;
    }
    return chunk;
  }

  run(slice: Slice): number {
    const { items, count } = slice;
    const { fn, index, context } = this;
    let i = 0;
    try {
      for (; i < count; i++) {
        const result = fn(items[i], index + i, context);
        if (result !== undefined && isPromiseLike(result)) {
          this.promise = result;
          break;
        }
      }
    } finally {
      slice.kept = i;
      this.index = index + Math.min(i + 1, count);
    }
    return i;
  }

  settle(_result: unknown, chunk: unknown): unknown {
    return chunk;
  }
}
