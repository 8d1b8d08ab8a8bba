/** A positive integer in the environment; 1 if there is none. */
function integerFrom(name: string): number {
  const text = globalThis.process?.env[name] || "1";
  if (!/^[1-9]\d{0,9}$/.test(text)) {
    throw new RangeError(`${name} must be a positive integer, got ${text}`);
  }
  return Number(text);
}

/** How thorough a run is: `deno task test --thorough N`. The gate's is 1. */
const times = integerFrom("HOSEPIPE_THOROUGH");

/** Which part of all cases is drawn: the same in each gate, another each night. */
const part = integerFrom("HOSEPIPE_SEED");

/** Whether a run does all that is promised, as nightly ones do, and not the part of it that fits into the gate. */
export const isThorough = times > 1;

/** The first seed of so many that cases are made from, one after the other. */
export function firstSeedOf(count: number): number {
  return 1 + (part - 1) * count;
}

/** How many random cases to try, of which the gate tries `count`. */
export function draws(count: number): number {
  return count * times;
}
