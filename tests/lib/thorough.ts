/** A positive number in the environment; 1 if there is none. */
function numberFrom(name: string): number {
  const number = Number(globalThis.process?.env[name] || "1");
  if (!(number > 0 && number < 1e10)) throw new RangeError(`${name} must be a positive number`);
  return number;
}

/** How thorough a run is: `deno task test --thorough N`. The gate's is 1, that of the library's tests alone is less. */
const times = numberFrom("HOSEPIPE_THOROUGH");

/** Which part of all cases is drawn: the same in each gate, another each night. */
const part = Math.ceil(numberFrom("HOSEPIPE_SEED"));

/** Whether a run does all that is promised, as nightly ones do, and not the part of it that fits into the gate. */
export const isThorough = times > 1;

/** Whether only the library is tested, in a minute or two. */
export const isQuick = times < 1;

/** The first seed of so many that cases are made from, one after the other. */
export function firstSeedOf(count: number): number {
  return 1 + (part - 1) * count;
}

/** How many random cases to try, of which the gate tries `count`. */
export function draws(count: number): number {
  return Math.max(1, Math.round(count * times));
}
