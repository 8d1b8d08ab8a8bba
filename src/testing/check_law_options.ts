import { throwTypeError } from "../errors.ts";
import { anything, boolean, callback, type OptionReader, readOptions } from "../read_options.ts";
import { isEqual } from "./is_equal.ts";
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

type Shared =
  & Pick<CheckStageOptions, "chunks" | "expected" | "isSame" | "io" | "skip">
  & { readonly makeFailing?: unknown };

/** The chunks that are given to what is checked. */
function readChunks(action: string, chunks: Shared["chunks"]): unknown[] {
  const list = typeof chunks === "function" ? chunks() : chunks ?? [1, 2, 3, 4, 5, 6, 7, 8];
  if (!Array.isArray(list)) {
    throwTypeError(action, "chunks", "an array or a function that gives one", list);
  }
  return [...list];
}

/** Reads the options that all checks by laws share; throws if one is wrong. */
export function readLawOptions<Options extends Shared>(
  action: string,
  options: Options,
  laws: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, OptionReader>>,
): {
  /** All of them, as they were read. */
  readonly read: Options;
  /** Makes the chunks that are given. */
  readonly chunks: () => unknown[];
  readonly isSame: NonNullable<Shared["isSame"]>;
  readonly io: boolean;
  readonly skipped: Record<string, string>;
} {
  const readers: Readonly<Record<string, OptionReader>> = {
    chunks: anything(),
    expected: anything(),
    isSame: callback(isEqual),
    makeFailing: callback(),
    io: boolean(false),
    skip: anything({}),
    ...own,
  };
  const read = readOptions<Record<string, unknown>, typeof readers>(
    action,
    options as unknown as Record<string, unknown>,
    readers,
  );
  const { expected, skip } = read;
  if (expected !== undefined && typeof expected !== "function" && !Array.isArray(expected)) {
    throwTypeError(action, "expected", "an array or a function", expected);
  }
  checkSkip(action, skip, Object.keys(laws));
  return {
    read: read as unknown as Options,
    chunks: () => readChunks(action, read.chunks as Shared["chunks"]),
    isSame: read.isSame as typeof isEqual,
    io: read.io as boolean,
    skipped: { ...skip },
  };
}
