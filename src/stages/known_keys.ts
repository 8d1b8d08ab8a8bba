import type { StageContext } from "../kernels/stage_context.ts";
import { callback, integer, oneOf, readOptions } from "../read_options.ts";

/** Which chunks are the same, and how many are remembered. */
export interface DistinctOptions<T = unknown, Key = unknown> {
  /**
   * Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns what is compared,
   * or a promise of it. Default: the chunk itself.
   */
  key?: ((chunk: T, index: number, context: StageContext) => Key | PromiseLike<Key>) | undefined;
  /**
   * Gets a key that is remembered and that of the chunk; returns whether they are the same. Each chunk is then compared
   * with up to all that are remembered, the oldest first. Default: as those of a `Map`, which finds one at once.
   */
  equals?: ((known: Key, now: Key) => boolean) | undefined;
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
  readonly equals: ((known: unknown, now: unknown) => boolean) | undefined;
  readonly maxKeys: number;
  readonly atLimit: "fail" | "forgetOldest";
}

/** Checks the options of `distinct`. */
export function readDistinctOptions<T, Key>(
  action: string,
  options: DistinctOptions<T, Key>,
): DistinctPlan {
  return readOptions(action, options, {
    key: callback((chunk: unknown) => chunk),
    equals: callback(),
    maxKeys: integer(100_000, 1, true),
    atLimit: oneOf(["fail", "forgetOldest"], "fail"),
  }) as unknown as DistinctPlan;
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
    if (this.#has(key)) return false;
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

  #has(key: unknown): boolean {
    const { equals } = this.#plan;
    if (equals === undefined) return this.#keys.has(key);
    for (const known of this.#keys) if (equals(known, key)) return true;
    return false;
  }
}
