import type { Difference } from "./differences.ts";
import type { SuiteName } from "./suites.ts";

/** Why a test that native streams pass may not be passed by ours: each is a promise of the library, or beyond it. */
export const exclusionKinds = {
  signal:
    "after a signal aborts, pipeline rejects within a turn, whatever hangs: it waits for no write or cancel",
  firstFailure: "the first failure wins over a failing clean-up, in every way of running",
  interception: "only a runtime can settle a promise with an object without looking for its then",
} as const;

/** A test that native streams pass and ours do not, and why that stays so. */
export interface Exclusion {
  readonly suite: SuiteName;
  readonly file: string;
  readonly name: string;
  readonly reason: (typeof exclusionKinds)[keyof typeof exclusionKinds];
}

function excluded(
  suite: SuiteName,
  file: string,
  reason: Exclusion["reason"],
  names: readonly string[],
): Exclusion[] {
  return names.map((name) => ({ suite, file: `${file}.any.js`, name, reason }));
}

const { firstFailure, interception } = exclusionKinds;

export const exclusions: readonly Exclusion[] = [
  ...excluded("piping", "then-interception", interception, [
    "piping should not be observable",
    "tee should not be observable",
  ]),
  ...excluded("piping", "abort", firstFailure, [
    "a rejection from underlyingSource.cancel() should be returned by pipeTo()",
    "a rejection from underlyingSink.abort() should be returned by pipeTo()",
    "a rejection from underlyingSink.abort() should be preferred to one from underlyingSource.cancel()",
  ]),
];

/** The exclusion that a difference falls under. */
export function exclusionOf(
  { suite, file, name }: Pick<Difference, "suite" | "file" | "name">,
): Exclusion | undefined {
  return exclusions.find((one) => one.suite === suite && one.file === file && one.name === name);
}
