import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  childMark,
  type ChildMessage,
  type ChildRequest,
  listSuite,
  type SuiteName,
  suites,
  type TestResult,
  type Way,
  wptFolder,
} from "./results.ts";
import { fileURLToPath } from "node:url";
import { thisRuntime } from "../lib/this_runtime.ts";
import { runProcess } from "../../runtimes/run_process.ts";

const folder = wptFolder();
if (folder === undefined && process.env.HOSEPIPE_REQUIRE_WPT === "1") {
  throw new Error("WPT_DIR is not set, and HOSEPIPE_REQUIRE_WPT says that it must be");
}
if (folder === undefined) test("WPT not run: WPT_DIR is not set", { skip: true }, () => {});

function show({ file, name, status, message }: Difference): string {
  return `${file}: ${name}: ${status}: ${message}`;
}

for (const { name: suite, standIn } of folder === undefined ? [] : suites) {
  let files: FileResult[];

  test(`${standIn}: ours does what native does in WPT ${suite}`, { timeout: 600_000 }, async () => {
    files = await runSuite(folder!, suite);
    const passed = files.filter(({ way }) => way === "ours")
      .flatMap(({ results }) => results).filter(({ status }) => status === "pass");
    assert(passed.length > 0, "no test has run");
    const left = differences(files).filter((difference) => exclusionOf(difference) === undefined);
    assertEquals(left.map(show), []);
  });

  test(`WPT ${suite}: no exclusion hides a hang, and none is left that passes`, () => {
    const found = differences(files);
    assertEquals(found.filter(({ status }) => status === "hang").map(show), []);
    const unneeded = exclusions.filter((exclusion) =>
      exclusion.suite === suite &&
      !found.some((difference) => exclusionOf(difference) === exclusion)
    );
    assertEquals(unneeded.map(({ file, name }) => `${file}: ${name}`), []);
  });
}

test("exclusions from WPT are few, and of known kinds", () => {
  const countOf = (suite: string) => exclusions.filter((one) => one.suite === suite).length;
  assertEquals(countOf("transform-streams"), 0);
  assert(countOf("piping") <= 19, `${countOf("piping")} of piping`);
  for (const { reason } of exclusions) assert(Object.values(exclusionKinds).includes(reason));
});

const child = fileURLToPath(new URL("_child.ts", import.meta.url));

/** How many times a file is begun anew behind a test that kept its process from going on. */
const attempts = 20;

/**
 * Runs one of the standard's test files in a process of its own, and gives how each of its tests went. Where a test
 * keeps the process busy for ever, or ends it, that is its result, and the tests behind it run in a new process.
 */
async function runFile(request: Omit<ChildRequest, "skip">): Promise<TestResult[]> {
  const results = new Map<string, TestResult>();
  const culprits: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const messages: ChildMessage[] = [];
    const asked: ChildRequest = { ...request, skip: culprits };
    const args = [...thisRuntime.arguments, child, JSON.stringify(asked)];
    const { code, output, timedOut } = await runProcess(thisRuntime.executable, args, {
      // Tests that hang end after their own time; only a process that is busy for ever needs this.
      timeoutMs: request.testTimeoutMs * 4 + 20_000,
    });
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

/** How the tests of one file went. */
interface FileResult {
  readonly suite: SuiteName;
  readonly file: string;
  readonly way: Way;
  readonly results: readonly TestResult[];
}

/** Runs the files of a suite, two at a time, with native streams and with ours. */
async function runSuite(folder: string, suite: SuiteName): Promise<FileResult[]> {
  const jobs = (await listSuite(folder, suite)).flatMap((file) =>
    (["native", "ours"] as const).map((way) => ({ suite, file, way }))
  );
  const library = new URL("../../mod.ts", import.meta.url).href;
  const done: FileResult[] = [];
  const work = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      const results = await runFile({ folder, ...job, testTimeoutMs: 20_000, library });
      done.push({ ...job, results });
    }
  };
  await Promise.all([work(), work()]);
  return done;
}

/** A test that native streams pass and ours do not. */
interface Difference {
  readonly suite: SuiteName;
  readonly file: string;
  readonly name: string;
  readonly status: TestResult["status"];
  readonly message: string;
}

/**
 * What native passes and ours does not, and what only ours reports. Where native was not run, whatever ours does not
 * pass counts. A test that says nothing about us is none.
 */
function differences(files: readonly FileResult[]): Difference[] {
  const keyOf = ({ suite, file }: FileResult) => `${suite}/${file}`;
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
      .map((result) => ({ suite: file.suite, file: file.file, ...result }));
    const missing = (theirs ?? []).filter(({ name, status }) =>
      status === "pass" && !file.results.some((result) => result.name === name)
    );
    return [
      ...own,
      ...missing.map(({ name }) => ({
        suite: file.suite,
        file: file.file,
        name,
        status: "hang" as const,
        message: "never came to it",
      })),
    ];
  });
}

/** Why ours may not pass a test that native streams pass: a promise of the library, or what is beyond any. */
const exclusionKinds = {
  signal:
    "after a signal aborts, pipeline rejects within a turn, whatever hangs: one half of a tee is cancelled only with the other, and pipeTo waits for that",
  firstFailure:
    "the first failure in the order of events is what the run fails with; these ask that a cancel or an abort which fails while the pipe ends replaces it",
  state:
    "a pipe sees in its first step that its source has failed, and aborts the sink before its close begins; read() says so a microtask later, when the sink has closed",
  interception:
    "read() fulfils with an object, which looks for a then in Object.prototype: only a runtime's own pipe reads without that",
} as const;

/** A test that native streams pass and ours do not, and why that stays so. */
interface Exclusion {
  readonly suite: SuiteName;
  readonly file: string;
  readonly name: string;
  readonly reason: (typeof exclusionKinds)[keyof typeof exclusionKinds];
}

function excluded(
  suite: SuiteName,
  file: string,
  reason: Exclusion["reason"],
  names: readonly string[],
): Exclusion[] {
  return names.map((name) => ({ suite, file: `${file}.any.js`, name, reason }));
}

const { firstFailure, interception, signal, state } = exclusionKinds;

const exclusions: readonly Exclusion[] = [
  ...excluded("piping", "abort", signal, [
    "pipeTo on a teed readable byte stream should only be aborted when both branches are aborted",
  ]),
  ...excluded("piping", "abort", firstFailure, [
    "a rejection from underlyingSource.cancel() should be returned by pipeTo()",
    "a rejection from underlyingSink.abort() should be returned by pipeTo()",
    "a rejection from underlyingSink.abort() should be preferred to one from underlyingSource.cancel()",
  ]),
  ...excluded("piping", "error-propagation-backward", firstFailure, [
    "Errors must be propagated backward: becomes errored before piping due to write; preventCancel omitted; rejected cancel promise",
    "Errors must be propagated backward: becomes errored during piping due to write; preventCancel omitted; rejected cancel promise",
    "Errors must be propagated backward: becomes errored during piping due to write, but async; preventCancel = false; rejected cancel promise",
    "Errors must be propagated backward: becomes errored after piping; preventCancel omitted; rejected cancel promise",
    "Errors must be propagated backward: becomes errored after piping; dest never desires chunks; preventCancel = false; rejected cancel promise",
    "Errors must be propagated backward: becomes errored before piping via abort; preventCancel omitted; rejected cancel promise",
  ]),
  ...excluded("piping", "error-propagation-forward", firstFailure, [
    "Errors must be propagated forward: starts errored; preventAbort = false; rejected abort promise",
    "Errors must be propagated forward: becomes errored while empty; preventAbort = false; rejected abort promise",
    "Errors must be propagated forward: becomes errored while empty; dest never desires chunks; preventAbort = false; rejected abort promise",
    "Errors must be propagated forward: becomes errored after one chunk; preventAbort = false; rejected abort promise",
    "Errors must be propagated forward: becomes errored after one chunk; dest never desires chunks; preventAbort = false; rejected abort promise",
  ]),
  ...excluded("piping", "multiple-propagation", state, [
    "Piping from an errored readable stream to a closing writable stream",
  ]),
  ...excluded("piping", "then-interception", interception, [
    "piping should not be observable",
    "tee should not be observable",
  ]),
];

/** The exclusion that a difference falls under. */
function exclusionOf(
  { suite, file, name }: Pick<Difference, "suite" | "file" | "name">,
): Exclusion | undefined {
  return exclusions.find((one) => one.suite === suite && one.file === file && one.name === name);
}
