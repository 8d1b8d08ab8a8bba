import { checkFunction, checkOptions, throwTypeError } from "../errors.ts";
import { checkSkip } from "./check_skip.ts";
import type { CheckStageOptions } from "./law_types.ts";

type Shared = Pick<CheckStageOptions, "chunks" | "expected" | "isSame" | "io" | "skip">;

const sharedNames = ["chunks", "expected", "isSame", "makeFailing", "io", "skip"];

/** The chunks that are given to what is checked. */
export function readChunks({ chunks }: Shared, action: string): readonly unknown[] {
  const list = typeof chunks === "function" ? chunks() : chunks ?? [1, 2, 3, 4, 5, 6, 7, 8];
  if (!Array.isArray(list)) {
    throwTypeError(action, "chunks", "an array or a function that gives one", list);
  }
  return list;
}

/** Throws unless the options that all checks by laws share are right. */
export function checkLawOptions(
  action: string,
  options: Shared & { readonly makeFailing?: unknown },
  laws: Readonly<Record<string, unknown>>,
  ownNames: readonly string[],
): void {
  checkOptions(action, options, [...sharedNames, ...ownNames]);
  const { expected, isSame, makeFailing, io, skip } = options;
  if (expected !== undefined && typeof expected !== "function" && !Array.isArray(expected)) {
    throwTypeError(action, "expected", "an array or a function", expected);
  }
  if (isSame !== undefined) checkFunction(action, "isSame", isSame);
  if (makeFailing !== undefined) checkFunction(action, "makeFailing", makeFailing);
  if (io !== undefined && typeof io !== "boolean") throwTypeError(action, "io", "a boolean", io);
  if (skip !== undefined) checkSkip(action, skip, Object.keys(laws));
}
