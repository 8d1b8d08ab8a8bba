import { checkFunction, checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { laws } from "./law_list.ts";
import type { CheckStageOptions } from "./law_types.ts";

const action = "check stage";
const optionNames = ["chunks", "expected", "isSame", "makeFailing", "readAhead", "io", "skip"];
const lawNames = Object.keys(laws);
function checkSkip(skip: unknown): asserts skip is Readonly<Record<string, string>> {
  if (skip === null || typeof skip !== "object") throwTypeError(action, "skip", "an object", skip);
  for (const [name, reason] of Object.entries(skip)) {
    if (!lawNames.includes(name)) {
      throw new TypeError(
        `Cannot ${action}: unknown law ${JSON.stringify(name)}, known are ${lawNames.join(", ")}`,
      );
    }
    if (typeof reason !== "string" || reason.trim() === "") {
      throwTypeError(action, `skip.${name}`, "a reason in words", reason);
    }
  }
}

/** The chunks that a stage is given. */
export function readChunks(options: CheckStageOptions): readonly unknown[] {
  const { chunks = [1, 2, 3, 4, 5, 6, 7, 8] } = options;
  const list = typeof chunks === "function" ? chunks() : chunks;
  if (!Array.isArray(list)) {
    throwTypeError(action, "chunks", "an array or a function that gives one", list);
  }
  return list;
}

/** Throws unless what `checkStage` is given is right. */
export function checkStageOptions(makeStage: unknown, options: CheckStageOptions): void {
  checkFunction(action, "makeStage", makeStage);
  checkOptions(action, options, optionNames);
  const { expected, isSame, makeFailing, readAhead, io, skip } = options;
  if (expected !== undefined && typeof expected !== "function" && !Array.isArray(expected)) {
    throwTypeError(action, "expected", "an array or a function", expected);
  }
  if (isSame !== undefined) checkFunction(action, "isSame", isSame);
  if (makeFailing !== undefined) checkFunction(action, "makeFailing", makeFailing);
  if (readAhead !== undefined) checkInteger(action, "readAhead", readAhead, 0, true);
  if (io !== undefined && typeof io !== "boolean") throwTypeError(action, "io", "a boolean", io);
  if (skip !== undefined) checkSkip(skip);
}
