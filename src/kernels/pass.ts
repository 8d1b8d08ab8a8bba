import { NONE, type OneKernel } from "./kernel.ts";
import type { Slice } from "./slice.ts";

/** What a transformer without a `transform` does. */
export const passKernel: OneKernel = {
  one: (chunk) => chunk,
  takePromise: () => undefined,
  settle: () => NONE,
  run: (slice: Slice) => slice.kept = slice.count,
  stop() {},
};
