import { isPromiseLike } from "../is_promise_like.ts";
import { FunctionKernel } from "./function_kernel.ts";
import { type OneKernel, WAIT } from "./kernel.ts";
import type { Slice } from "./slice.ts";

/** Whether a map's result is waited for: a promise that it made, not a chunk that it got as one. */
export function mustWait(result: unknown, chunk: unknown): boolean {
  if (result === null || (typeof result !== "object" && typeof result !== "function")) return false;
  // Not `===`: JavaScriptCore compiles that again and again where a chunk is now a number and then an object.
  return !Object.is(result, chunk) && isPromiseLike(result);
}

/** What `map` does. */
export class MapKernel extends FunctionKernel implements OneKernel {
  one(chunk: unknown): unknown {
    const { fn } = this;
    const result = fn(chunk, this.index++, this.context);
    // No look at its type here: JavaScriptCore would take every result for an object, and compile again and again.
    if (!mustWait(result, chunk)) return result;
    this.promise = result;
    return WAIT;
  }

  run(slice: Slice): number {
    const { items, count } = slice;
    const { fn, index, context } = this;
    let i = 0;
    try {
      for (; i < count; i++) {
        const chunk = items[i];
        const result = fn(chunk, index + i, context);
        if (typeof result !== "string" && mustWait(result, chunk)) {
          this.promise = result;
          break;
        }
        items[i] = result;
      }
    } finally {
      slice.kept = i;
      this.index = index + Math.min(i + 1, count);
    }
    return i;
  }

  settle(value: unknown): unknown {
    return value;
  }
}
