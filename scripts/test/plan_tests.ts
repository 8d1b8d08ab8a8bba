import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import { listFiles } from "../gate/list_files.ts";
import { findExamples } from "./examples/find_examples.ts";

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
  "tests/scripts/serve/",
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

/**
 * What there is to run: files of tests, and files whose examples are run.
 *
 * @param root The project's folder.
 * @param options `paths`, the files to run in place of all (empty means all); `filter`, part of a test's name, which
 * no example has.
 */
export async function planTests(
  root: URL,
  { paths, filter }: { readonly paths: readonly string[]; readonly filter?: string },
): Promise<{ tests: string[]; examples: string[] }> {
  if (paths.length > 0) {
    return {
      tests: paths.filter((path) => path.endsWith("_test.ts")),
      examples: paths.filter((path) => !path.endsWith("_test.ts")),
    };
  }
  const tests = await listFiles(root, "tests", "_test.ts");
  return {
    tests: tests.filter((path) => !path.split("/").at(-1)!.startsWith("_")),
    examples: filter === undefined ? await filesWithExamples(root) : [],
  };
}
