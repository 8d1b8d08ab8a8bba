import process from "node:process";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";

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

/** A folder of the standard's tests, and what of ours stands in for what of the platform's in it. */
export interface Suite {
  readonly name: string;
  /** For people. */
  readonly standIn: string;
}

export const suites = [
  { name: "transform-streams", standIn: "fuse for TransformStream" },
  { name: "piping", standIn: "pipeline for pipeTo" },
  { name: "writable-streams", standIn: "writer for an underlying sink" },
] as const satisfies readonly Suite[];

export type SuiteName = (typeof suites)[number]["name"];

/** The folder that `WPT_DIR` names, relative to where the command was given; `undefined` where it is not set. */
export function wptFolder(): string | undefined {
  const folder = process.env.WPT_DIR;
  return folder ? resolve(process.env.INIT_CWD ?? process.cwd(), folder) : undefined;
}

/** The test files of a suite, such as `errors.any.js`, sorted. */
export async function listSuite(folder: string, suite: SuiteName): Promise<string[]> {
  const names = await readdir(join(folder, "streams", suite));
  // Files of only a window or a worker are not for a runtime without them.
  return names.filter((name) => name.endsWith(".any.js")).sort();
}
