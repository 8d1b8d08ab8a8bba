import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { reachingTests } from "../mutate/reaching_tests.ts";

const execute = promisify(execFile);

/** What all files depend on. */
const common = /^(?:deno\.(?:json|lock)|package\.json|tsconfig\.json|\.npmrc|.*\.mjs$)/;

/** What a change asks to be run. */
export interface ChangedTests {
  readonly tests: readonly string[];
  /** Files whose examples are to be run. */
  readonly examples: readonly string[];
  /** Changed files that no test and no example reaches. */
  readonly unreached: readonly string[];
  /** A changed file that everything depends on: all is to be run. */
  readonly everythingFor?: string;
}

async function git(root: URL, ...args: string[]): Promise<string> {
  const { stdout } = await execute("git", args, { cwd: root, maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/**
 * The files that differ from what is published, in commits, uncommitted or new: from the commit that this branch shares
 * with `origin/main`, or from the last commit where there is no such branch.
 */
export async function listChanged(root: URL): Promise<string[]> {
  const base = await git(root, "merge-base", "HEAD", "origin/main").catch(() => "HEAD");
  const [tracked, untracked] = await Promise.all([
    git(root, "diff", "--name-only", base),
    git(root, "ls-files", "--others", "--exclude-standard"),
  ]);
  return `${tracked}\n${untracked}`.split("\n").filter((path) => path !== "");
}

/**
 * What reaches the changed files: tests that import them, directly or not, or name them, as those do that start a
 * command.
 *
 * @param changed Paths, also of files that are gone.
 * @param files The text of each TypeScript file of the project, by its path.
 * @param withExamples All files that have examples.
 */
export function selectTests(
  changed: readonly string[],
  files: ReadonlyMap<string, string>,
  withExamples: readonly string[],
): ChangedTests {
  const everythingFor = changed.find((path) => common.test(path));
  const reaching = reachingTests(files, { followsNames: true });
  const tests = new Set<string>();
  const unreached: string[] = [];
  for (const path of changed) {
    const found = reaching.get(path) ?? [];
    for (const test of found) tests.add(test);
    if (found.length === 0 && !withExamples.includes(path)) unreached.push(path);
  }
  const examples = withExamples.filter((path) => changed.includes(path));
  return { tests: [...tests].toSorted(), examples, unreached, everythingFor };
}
