import { checkBoolean, checkFunction, checkOptions, throwTypeError } from "../errors.ts";
import type { CheckStageOptions } from "./law_types.ts";

/** Throws unless `skip` has a reason in words for each law that it names, and there are such laws. */
export function checkSkip(
  action: string,
  skip: unknown,
  known: readonly string[],
): asserts skip is Readonly<Record<string, string>> {
  if (skip === null || typeof skip !== "object") throwTypeError(action, "skip", "an object", skip);
  for (const [name, reason] of Object.entries(skip)) {
    if (!known.includes(name)) {
      throw new TypeError(
        `Cannot ${action}: unknown law ${JSON.stringify(name)}; the laws are ${known.join(", ")}`,
      );
    }
    if (typeof reason !== "string" || reason.trim() === "") {
      throwTypeError(action, `skip.${name}`, "a reason in words", reason);
    }
  }
}

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
  if (io !== undefined) checkBoolean(action, "io", io);
  if (skip !== undefined) checkSkip(action, skip, Object.keys(laws));
}
