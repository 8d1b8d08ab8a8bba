/** How thorough a run is: `deno task test --thorough N`. The gate's is 1. */
const times = Number(globalThis.process?.env.HOSEPIPE_THOROUGH ?? 1);

/** Whether a run does all that is promised, as nightly ones do, and not the part of it that fits into the gate. */
export const isThorough = times > 1;

/** How many random cases to try, of which the gate tries `count`. */
export function draws(count: number): number {
  return count * times;
}
