import { NONE, type OneKernel } from "./kernel.ts";
import type { Work } from "./work.ts";

/** What a transformer without a `transform` does. */
export const passKernel: OneKernel = {
  one: (chunk) => chunk,
  takePromise: () => undefined,
  settle: () => NONE,
  run: (work: Work) => work.kept = work.count,
  stop() {},
};
