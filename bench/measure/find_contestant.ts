import type { ContestantEntry } from "./workload.ts";

/**
 * Finds a contestant by its name.
 *
 * @throws {Error} If the workload has none of that name.
 */
export function findContestant<Entry extends ContestantEntry>(
  workload: string,
  contestants: readonly Entry[],
  name: string,
): Entry {
  const entry = contestants.find((one) => one.name === name);
  if (entry !== undefined) return entry;
  const known = contestants.map(({ name }) => name).join(", ");
  throw new Error(
    `Cannot prepare ${workload}: no contestant ${name}; the contestants are ${known}`,
  );
}
