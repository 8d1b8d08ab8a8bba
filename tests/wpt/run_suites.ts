import type { Runtime } from "../../runtimes/find_runtime.ts";
import type { TestResult, Way } from "./results.ts";
import { runFile } from "./run_file.ts";
import { listSuite, type SuiteName } from "./suites.ts";

/** What to run. */
export interface Selection {
  readonly folder: string;
  readonly suites: readonly SuiteName[];
  readonly runtimes: readonly Runtime[];
  readonly ways: readonly Way[];
  /** Only files whose name contains this. */
  readonly file?: string;
  readonly library: string;
  readonly testTimeoutMs: number;
  readonly parallel: number;
  readonly signal?: AbortSignal;
}

/** How the tests of one file went. */
export interface FileResult {
  readonly suite: SuiteName;
  readonly file: string;
  readonly runtime: string;
  readonly way: Way;
  readonly results: readonly TestResult[];
}

/** Runs the selected files, several at a time, and gives their results in the order of suite, runtime, file, way. */
export async function runSuites(selection: Selection): Promise<FileResult[]> {
  const { folder, library, testTimeoutMs, signal } = selection;
  const jobs: (() => Promise<FileResult>)[] = [];
  for (const suite of selection.suites) {
    const files = await listSuite(folder, suite);
    for (const runtime of selection.runtimes) {
      for (const file of files.filter((name) => name.includes(selection.file ?? ""))) {
        for (const way of selection.ways) {
          jobs.push(async () => {
            const request = { folder, suite, file, way, testTimeoutMs, library };
            const results = await runFile(request, { runtime, signal });
            return { suite, file, runtime: runtime.name, way, results };
          });
        }
      }
    }
  }
  const done: FileResult[] = new Array(jobs.length);
  let next = 0;
  const work = async () => {
    while (next < jobs.length && !signal?.aborted) {
      const index = next++;
      done[index] = await jobs[index]!();
    }
  };
  await Promise.all(Array.from({ length: selection.parallel }, work));
  return done;
}
