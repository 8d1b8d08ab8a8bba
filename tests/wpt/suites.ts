import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";

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
