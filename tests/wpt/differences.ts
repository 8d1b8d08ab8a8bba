import type { SuiteName, TestResult } from "./results.ts";
import type { FileResult } from "./run_suites.ts";

/** A test that native streams pass and ours do not. */
export interface Difference {
  readonly suite: SuiteName;
  readonly file: string;
  readonly runtime: string;
  readonly name: string;
  readonly status: TestResult["status"];
  readonly message: string;
}

/**
 * What native passes and ours does not, and what only ours reports. Where native was not run, whatever ours does not
 * pass counts. A test that says nothing about us is none.
 */
export function differences(files: readonly FileResult[]): Difference[] {
  const keyOf = ({ suite, file, runtime }: FileResult) => `${runtime} ${suite}/${file}`;
  const native = new Map(
    files.filter(({ way }) => way === "native").map((file) => [keyOf(file), file.results]),
  );
  return files.filter(({ way }) => way === "ours").flatMap((file) => {
    const theirs = native.get(keyOf(file));
    const statusOf = (name: string) => theirs?.find((result) => result.name === name)?.status;
    const own: Difference[] = file.results
      .filter(({ name, status }) =>
        status !== "pass" && status !== "other" && (statusOf(name) ?? "pass") === "pass"
      )
      .map(({ name, status, message }) => ({
        suite: file.suite,
        file: file.file,
        runtime: file.runtime,
        name,
        status,
        message,
      }));
    const missing = (theirs ?? []).filter(({ name, status }) =>
      status === "pass" && !file.results.some((result) => result.name === name)
    );
    return [
      ...own,
      ...missing.map(({ name }) => ({
        suite: file.suite,
        file: file.file,
        runtime: file.runtime,
        name,
        status: "hang" as const,
        message: "never came to it",
      })),
    ];
  });
}

/** Why ours may not pass a test that native streams pass: a promise of the library, or what is beyond any. */
export const exclusionKinds = {
  signal:
    "after a signal aborts, pipeline rejects within a turn, whatever hangs: one half of a tee is cancelled only with the other, and pipeTo waits for that",
  firstFailure:
    "the first failure in the order of events is what the run fails with; these ask that a cancel or an abort which fails while the pipe ends replaces it",
  state:
    "a pipe sees in its first step that its source has failed, and aborts the sink before its close begins; read() says so a microtask later, when the sink has closed",
  interception:
    "read() fulfils with an object, which looks for a then in Object.prototype: only a runtime's own pipe reads without that",
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
