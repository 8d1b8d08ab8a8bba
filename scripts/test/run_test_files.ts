import { fileURLToPath } from "node:url";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { endOf, loading } from "./plan_tests.ts";
import type { TestCase } from "./parse_junit.ts";
import {
  describeEnd,
  judgeTestFile,
  lastLines,
  runReported,
  runTestFile,
  type TestEnd,
  type TestFileOptions,
  type TestFileResult,
} from "./run_test_file.ts";

const together = fileURLToPath(new URL("run_together.ts", import.meta.url));

/** The cases of each file that came to its end. */
export function splitCases(
  cases: readonly TestCase[],
  files: readonly string[],
): Map<string, TestCase[]> {
  const fileOf = new Map(files.map((file) => [endOf(file), file]));
  const split = new Map<string, TestCase[]>();
  let own: TestCase[] = [];
  for (const one of cases) {
    if (one.name === loading) continue;
    const file = fileOf.get(one.name);
    if (file === undefined) {
      own.push(one);
    } else {
      if (one.outcome === "passed") split.set(file, own);
      own = [];
    }
  }
  return split;
}

const isFailed = ({ outcome }: TestCase) => outcome === "failed";

/** How a process of their own would have ended. */
function endOfCases(cases: readonly TestCase[]): TestEnd {
  const elapsedMs = cases.reduce((sum, one) => sum + one.elapsedMs, 0);
  return { code: 0, output: "", timedOut: false, elapsedMs };
}

/**
 * Runs files' tests, several in one process. Where that ends badly, what did not come to its end is run again, each
 * file alone: so a crash or a hang costs no other file.
 *
 * @returns What each file came to, in their order.
 */
export async function runTestFiles(
  runtime: Runtime,
  files: readonly string[],
  options: TestFileOptions,
): Promise<ReadonlyMap<string, TestFileResult>> {
  const runAlone = (file: string) => runTestFile(runtime, file, options);
  const [only] = files;
  if (files.length === 1) return new Map([[only!, await runAlone(only!)]]);
  const env = { HOSEPIPE_TESTS: files.join("\n") };
  const { cases, end } = await runReported(runtime, [together], { ...options, env });
  const split = splitCases(cases, files);
  const ownFailures = split.values().toArray().flat().filter(isFailed).length;
  // What failed after the last end, or before all files, is of none of them.
  const isUnexplained = end.timedOut || cases.filter(isFailed).length > ownFailures ||
    (end.code !== 0 && ownFailures === 0);
  const missing = files.filter((file) => !split.has(file));
  const again = isUnexplained && missing.length === 0 ? files : missing;
  const results = new Map<string, TestFileResult>();
  for (const file of files) {
    const own = split.get(file) ?? [];
    const isAgain = again.includes(file);
    if (isAgain && options.signal?.aborted) return results;
    results.set(
      file,
      isAgain ? await runAlone(file) : judgeTestFile(own, endOfCases(own), options.filter),
    );
  }
  // Nothing that one file does alone explains it, so it is what they do to each other.
  if (again.length > 0 && again.every((file) => results.get(file)!.failures.length === 0)) {
    const last = files.at(-1)!;
    const what = `${files.length} files in one process ${describeEnd(end)}`;
    const name = `${what}, and not one of them alone`;
    const failure = { name, detail: lastLines(end.output), isOfGroup: true };
    const { failures, ...own } = results.get(last)!;
    results.set(last, { ...own, failures: [...failures, failure] });
  }
  return results;
}
