import type { SuiteName } from "./suites.ts";

/** One test of the standard's, as it went. */
export interface TestResult {
  readonly name: string;
  /**
   * `hang`: did not end in time, or kept the process from doing anything else. `other`: did something that the
   * stand-in cannot express, so that it says nothing about us.
   */
  readonly status: "pass" | "fail" | "hang" | "other";
  readonly message: string;
}

/** What a child process writes, a line each. */
export type ChildMessage =
  | { readonly type: "start"; readonly name: string }
  | { readonly type: "result"; readonly result: TestResult }
  /** What the test that was last to end left unhandled. */
  | { readonly type: "late"; readonly message: string }
  | { readonly type: "end"; readonly error: string | undefined };

/** What a child process is asked for. */
export interface ChildRequest {
  readonly folder: string;
  readonly suite: SuiteName;
  readonly file: string;
  readonly way: Way;
  /** Names of tests to leave out: they kept an earlier process from going on. */
  readonly skip: readonly string[];
  readonly testTimeoutMs: number;
  /** The library under test: the URL of its `mod.ts`. */
  readonly library: string;
}

/** Whose streams a test runs with. */
export type Way = "native" | "ours";

/** Each line of a child that is meant for the parent begins so. */
export const childMark = "\u0001wpt ";
