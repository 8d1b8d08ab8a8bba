import { checkFunction, checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import type { StageContext } from "../kernels/stage_context.ts";

/** Which chunks are the same, and how many are remembered. */
export interface DistinctOptions<T = unknown, Key = unknown> {
  /**
   * Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns what is compared,
   * or a promise of it. Default: the chunk itself.
   */
  key?: ((chunk: T, index: number, context: StageContext) => Key | PromiseLike<Key>) | undefined;
  /** How many keys are remembered, a positive integer or `Infinity`. Default: 100,000. */
  maxKeys?: number | undefined;
  /**
   * What happens at one key more. `"fail"`: the stream fails with a `RangeError`. `"forgetOldest"`: the key that
   * came first is forgotten, and a chunk that has it passes again. Default: `"fail"`.
   */
  atLimit?: "fail" | "forgetOldest" | undefined;
}

/** The options with all defaults filled in. */
export interface DistinctPlan {
  readonly key: (chunk: unknown, index: number, context: StageContext) => unknown;
  readonly maxKeys: number;
  readonly atLimit: "fail" | "forgetOldest";
}

/** Checks the options of `distinct`. */
export function readDistinctOptions(action: string, options: DistinctOptions<never>): DistinctPlan {
  checkOptions(action, options, ["key", "maxKeys", "atLimit"]);
  const { key = (chunk: unknown) => chunk, maxKeys = 100_000, atLimit = "fail" } = options;
  checkFunction(action, "key", key);
  checkInteger(action, "maxKeys", maxKeys, 1, true);
  if (atLimit !== "fail" && atLimit !== "forgetOldest") {
    throwTypeError(action, "atLimit", '"fail" or "forgetOldest"', atLimit);
  }
  return { key: key as DistinctPlan["key"], maxKeys, atLimit };
}

/** The keys that one stream has had. */
export class KnownKeys {
  readonly #action: string;
  readonly #plan: DistinctPlan;
  readonly #keys = new Set<unknown>();
  #oldest: SetIterator<unknown> | undefined;

  /** `action` is whose errors they are. */
  constructor(action: string, plan: DistinctPlan) {
    this.#action = action;
    this.#plan = plan;
  }

  /** Remembers a key; tells whether it is new. */
  add(key: unknown): boolean {
    const keys = this.#keys;
    if (keys.has(key)) return false;
    const { maxKeys, atLimit } = this.#plan;
    if (keys.size === maxKeys) {
      if (atLimit === "fail") {
        throw new RangeError(`Cannot ${this.#action}: there are more than ${maxKeys} keys`);
      }
      // A fresh iterator would pass all that was forgotten before.
      keys.delete((this.#oldest ??= keys.values()).next().value);
    }
    keys.add(key);
    return true;
  }
}
