import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import { listFiles } from "../gate/read_project.ts";
import { findExamples } from "./examples/find_examples.ts";

const before = "end of ";

/** The name of the test that stands at the end of a file's tests where several files share a process. */
export function endOf(file: string): string {
  return before + file;
}

/** The name of the test that stands before all others, and ends when all files have been loaded. */
export const loading = "all files are loaded";

/** A regular expression that such names match. */
export const addedPattern = `^(?:${before}.*_test\\.ts|${loading})$`;

/** The files whose documentation has examples. */
export async function filesWithExamples(root: URL): Promise<string[]> {
  const candidates = [
    "mod.ts",
    ...await listFiles(root, "src", ".ts"),
    ...await listFiles(root, "node_compat", ".ts"),
    "README.md",
    ...await listFiles(root, "docs", ".md"),
  ].filter((path) => existsSync(new URL(path, root)));
  const texts = await Promise.all(candidates.map((path) => readFile(new URL(path, root), "utf8")));
  return candidates.filter((path, index) => findExamples(path, texts[index]!).length > 0);
}

/** What the scripts start runs under every runtime, and so do these tests of them. */
const everywhere = [
  "tests/scripts/consume/",
  "tests/scripts/consume_test.ts",
  "tests/scripts/serve_test.ts",
];

/** What a compiler or a browser does is the same, whatever starts it. */
const startOthers =
  /^tests\/(?:types\/editor|workers\/chromium|package\/(?:chromium|webkit|workerd))_test\.ts$/;

/**
 * Whether a file's tests run under a runtime: those of commands, which Deno runs, of models, and of what compilers
 * and browsers do under Deno alone.
 */
export function runsUnder(file: string, name: RuntimeName): boolean {
  if (name !== "deno" && startOthers.test(file)) return false;
  return name === "deno" || !/^tests\/(?:scripts|playground|site|queue\/model)\//.test(file) ||
    everywhere.some((path) => file.startsWith(path));
}

/** The library: what `deno task test` runs. */
const library =
  /^tests\/(?:ends|engine|enumeration|formats|fuse|inspect|kernels|laws|node_compat|pipeline|sinks|smoke|sources|stages)\//;

/** What takes long for what it adds, or needs a browser: the gate's. */
const forGate =
  /(?:^tests\/(?:laws|sources|enumeration)\/probed|\/invisible|chromium|\/enumerate)_test\.ts$/;

/** Whether `deno task test` runs a file if none is named. */
export function isQuick(file: string): boolean {
  return library.test(file) && !forGate.test(file);
}

/** The files of tests that a path names: itself, those of a folder, or those that match a pattern such as "map_*". */
function testsAt(path: string, all: readonly string[]): string[] {
  const name = path.replace(/\/$/, "");
  const pattern = new RegExp(
    `(?:^|/)${
      name.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*")
    }(?:$|/|_test\\.ts$)`,
  );
  return all.filter((file) => pattern.test(file));
}

/** Which tests are to be run. */
export interface TestSelection {
  /** Files, folders and patterns to run in place of all; empty means all. */
  readonly paths: readonly string[];
  /** Part of a test's name, which no example has. */
  readonly filter?: string;
  /** `quick`: those of the library; `rest`: all others. Default: all. */
  readonly size?: "quick" | "rest" | undefined;
}

/** What there is to run. */
export interface TestPlan {
  readonly tests: string[];
  /** Files whose examples are run. */
  readonly examples: string[];
  /** How many files of tests are left out. */
  readonly leftOut: number;
}

/** Finds what there is to run in the project's folder; a path that names nothing is returned as `missing`. */
export async function planTests(
  root: URL,
  { paths, filter, size }: TestSelection,
): Promise<TestPlan & { readonly missing?: string }> {
  const all = (await listFiles(root, "tests", "_test.ts"))
    .filter((path) => !path.split("/").at(-1)!.startsWith("_"));
  if (paths.length > 0) {
    const tests = new Set<string>();
    const examples: string[] = [];
    for (const path of paths) {
      const found = path.endsWith("_test.ts") ? [path] : testsAt(path, all);
      for (const file of found) tests.add(file);
      const isFile = existsSync(new URL(path, root));
      if (found.length === 0 && /\.(?:ts|md)$/.test(path) && isFile) examples.push(path);
      else if (found.length === 0 || (path.endsWith("_test.ts") && !isFile)) {
        return { tests: [], examples: [], leftOut: 0, missing: path };
      }
    }
    return { tests: [...tests], examples, leftOut: 0 };
  }
  const examples = filter === undefined && size !== "rest" ? await filesWithExamples(root) : [];
  if (size === undefined) return { tests: all, examples, leftOut: 0 };
  const tests = all.filter((file) => isQuick(file) === (size === "quick"));
  return { tests, examples, leftOut: all.length - tests.length };
}
