import { isPromiseLike } from "../is_promise_like.ts";
import { FunctionKernel } from "./function_kernel.ts";
import { type OneKernel, runOneByOne, WAIT } from "./kernel.ts";
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
    return runOneByOne(this, slice);
  }

  settle(_result: unknown, chunk: unknown): unknown {
    return chunk;
  }
}
