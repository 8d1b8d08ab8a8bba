import { fileURLToPath } from "node:url";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { runProcess } from "../../runtimes/run_process.ts";
import {
  childMark,
  type ChildMessage,
  type ChildRequest,
  listSuite,
  type SuiteName,
  type TestResult,
  type Way,
} from "./results.ts";

const child = fileURLToPath(new URL("_child.ts", import.meta.url));

/** What the parent adds to a request: how long a process may take. */
interface FileOptions {
  readonly runtime: Runtime;
  readonly signal?: AbortSignal;
}

/** How many times a file is begun anew behind a test that kept its process from going on. */
const attempts = 20;

/**
 * Runs one of the standard's test files in a process of its own, and gives how each of its tests went. Where a test
 * keeps the process busy for ever, or ends it, that is its result, and the tests behind it run in a new process.
 */
async function runFile(
  request: Omit<ChildRequest, "skip">,
  { runtime, signal }: FileOptions,
): Promise<TestResult[]> {
  const results = new Map<string, TestResult>();
  const culprits: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const messages: ChildMessage[] = [];
    const asked: ChildRequest = { ...request, skip: culprits };
    const args = [...runtime.arguments, child, JSON.stringify(asked)];
    const { code, output, timedOut } = await runProcess(runtime.executable, args, {
      // Tests that hang end after their own time; only a process that is busy for ever needs this.
      timeoutMs: request.testTimeoutMs * 4 + 20_000,
      signal,
    });
    if (signal?.aborted) return [];
    const noise: string[] = [];
    for (const line of output.split("\n")) {
      if (line.startsWith(childMark)) messages.push(JSON.parse(line.slice(childMark.length)));
      else if (line) noise.push(line);
    }
    let running: string | undefined;
    let last: TestResult | undefined;
    for (const message of messages) {
      if (message.type === "start") running = message.name;
      else if (message.type === "result") {
        const { result } = message;
        // A test that passed in an earlier process is not made worse by a later one.
        if (!results.has(result.name)) results.set(result.name, result);
        if (result.name === running) running = undefined;
        last = result;
      } else if (message.type === "late") {
        if (last?.status === "pass") {
          results.set(last.name, { ...last, status: "fail", message: message.message });
        }
      } else if (message.error !== undefined) {
        results.set("the file", { name: "the file", status: "fail", message: message.error });
      }
    }
    if (messages.some(({ type }) => type === "end")) return [...results.values()];
    const why = `${timedOut ? "the process was busy for ever" : `the process ended with ${code}`}${
      noise.length > 0 ? `\n${noise.slice(-5).join("\n")}` : ""
    }`;
    if (running === undefined) {
      results.set("the file", {
        name: "the file",
        status: timedOut ? "hang" : "fail",
        message: why,
      });
      return [...results.values()];
    }
    results.set(running, { name: running, status: timedOut ? "hang" : "fail", message: why });
    culprits.push(running);
  }
  const message = `${attempts} processes did not reach its end`;
  results.set("the file", { name: "the file", status: "fail", message });
  return [...results.values()];
}

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
