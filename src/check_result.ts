import { describeValue } from "./errors.ts";

/** Throws unless an iterator's `next()` has answered an object, as `for await` does. */
export function checkResult<Result>(result: Result, action: string = "read from source"): Result {
  if ((typeof result === "object" && result !== null) || typeof result === "function") {
    return result;
  }
  throw new TypeError(`Cannot ${action}: next() must give an object, got ${describeValue(result)}`);
}
