import type { Difference } from "./differences.ts";
import type { SuiteName } from "./suites.ts";

/** Why ours may not pass a test that native streams pass: a promise of the library, or what is beyond any. */
export const exclusionKinds = {
  signal:
    "after a signal aborts, pipeline rejects within a turn, whatever hangs: it waits for no write or cancel",
  firstFailure: "the first failure wins over a failing clean-up, in every way of running",
  state:
    "only a runtime can see at once that a stream has failed: others hear of it a microtask later",
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

const { firstFailure, interception, signal, state } = exclusionKinds;

export const exclusions: readonly Exclusion[] = [
  ...excluded("piping", "abort", signal, [
    "pipeTo on a teed readable byte stream should only be aborted when both branches are aborted",
  ]),
  ...excluded("piping", "abort", firstFailure, [
    "a rejection from underlyingSource.cancel() should be returned by pipeTo()",
    "a rejection from underlyingSink.abort() should be returned by pipeTo()",
    "a rejection from underlyingSink.abort() should be preferred to one from underlyingSource.cancel()",
  ]),
  ...excluded("piping", "error-propagation-backward", firstFailure, [
    "Errors must be propagated backward: becomes errored before piping due to write; preventCancel omitted; rejected cancel promise",
    "Errors must be propagated backward: becomes errored during piping due to write; preventCancel omitted; rejected cancel promise",
    "Errors must be propagated backward: becomes errored during piping due to write, but async; preventCancel = false; rejected cancel promise",
    "Errors must be propagated backward: becomes errored after piping; preventCancel omitted; rejected cancel promise",
    "Errors must be propagated backward: becomes errored after piping; dest never desires chunks; preventCancel = false; rejected cancel promise",
    "Errors must be propagated backward: becomes errored before piping via abort; preventCancel omitted; rejected cancel promise",
  ]),
  ...excluded("piping", "error-propagation-forward", firstFailure, [
    "Errors must be propagated forward: starts errored; preventAbort = false; rejected abort promise",
    "Errors must be propagated forward: becomes errored while empty; preventAbort = false; rejected abort promise",
    "Errors must be propagated forward: becomes errored while empty; dest never desires chunks; preventAbort = false; rejected abort promise",
    "Errors must be propagated forward: becomes errored after one chunk; preventAbort = false; rejected abort promise",
    "Errors must be propagated forward: becomes errored after one chunk; dest never desires chunks; preventAbort = false; rejected abort promise",
  ]),
  ...excluded("piping", "multiple-propagation", state, [
    "Piping from an errored readable stream to a closing writable stream",
  ]),
  ...excluded("piping", "then-interception", interception, [
    "piping should not be observable",
    "tee should not be observable",
  ]),
];

/** The exclusion that a difference falls under. */
export function exclusionOf(
  { suite, file, name }: Pick<Difference, "suite" | "file" | "name">,
): Exclusion | undefined {
  return exclusions.find((one) => one.suite === suite && one.file === file && one.name === name);
}
