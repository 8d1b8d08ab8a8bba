import type { TestResult } from "./results.ts";
import type { FileResult } from "./run_suites.ts";
import type { SuiteName } from "./suites.ts";

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
