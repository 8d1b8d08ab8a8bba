import type { Difference } from "./differences.ts";
import type { SuiteName } from "./suites.ts";

/** A test that native streams pass and ours do not, and why that stays so. */
export interface Exclusion {
  readonly suite: SuiteName;
  readonly file: string;
  readonly name: string;
  readonly reason: string;
}

export const exclusions: readonly Exclusion[] = [];

/** The exclusion that a difference falls under. */
export function exclusionOf(
  { suite, file, name }: Pick<Difference, "suite" | "file" | "name">,
): Exclusion | undefined {
  return exclusions.find((one) => one.suite === suite && one.file === file && one.name === name);
}
