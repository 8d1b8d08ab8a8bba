import { readProject, reportProblems } from "./read_project.ts";

/** What a test may wait by the clock: a busy machine may need longer than any time that is waited. */
const longestMs = 5;

/** Why some tests wait longer all the same, by their paths. */
const reasons: Readonly<Record<string, string>> = {
  "tests/files/exhaustion_test.ts": "a server's process is held out of files for a while",
  "tests/files/file_handler_test.ts": "a large file's tag changes by the second",
  "tests/files/file_range_test.ts": "virtual time",
  "tests/files/limits_test.ts": "several times a limit of the server's, in real time",
  "tests/files/open_files.ts": "each look reads all of /proc",
  "tests/files/soak_test.ts": "readers of one kilobyte a second",
  "tests/laws/_idle_program.ts": "a limit, which only a process that is held reaches",
  "tests/lib/until_it_heeds_signals.ts": "where there is no /proc, nothing tells",
  "tests/package/_with_webkit.ts": "each look is a request to a browser that starts",
  "tests/pipeline/arguments_test.ts": "virtual time",
  "tests/pipeline/fake_timers_test.ts": "fake timers",
  "tests/queue/adapters/nats_queue_test.ts": "each look is a request to a cluster that starts",
  "tests/queue/adapters/kafka_queue_test.ts":
    "a save takes a while, so that members come and go meanwhile",
  "tests/queue/adapters/postgres_queue_test.ts": "a wait that has begun shows nowhere",
  "tests/queue/adapters/redis_queue_test.ts": "a wait that has begun shows nowhere",
  "tests/queue/simulation/kafka_simulation_test.ts": "simulated time",
  "tests/queue/simulation/simulation_test.ts": "simulated time",
  "tests/queue/simulation/sqs_broker.ts": "simulated time",
  "tests/runtimes/runtimes_test.ts": "a process that takes its time",
  "tests/scripts/consume/crash_test.ts": "a worker that stands still, and one at any moment",
  "tests/scripts/consume_test.ts": "nothing tells that no more will come",
  "tests/scripts/extract_faults_test.ts": "signals at any moment; each look reads /proc",
  "tests/scripts/serve_test.ts": "an answer that stands still while a server ends",
  "tests/scripts/test_test.ts": "tests that hang, in processes of their own",
  "tests/testing/chaos_test.ts": "virtual time",
  "tests/testing/_planted_sinks.ts": "virtual time",
  "tests/testing/_planted_sources.ts": "virtual time",
  "tests/testing/test_source_test.ts": "virtual time",
  "tests/testing/virtual_time_test.ts": "virtual time",
};

/** What stands last in the brackets of a call that begin at `from`. */
function lastArgument(text: string, from: number): string {
  let [depth, begin, end] = [1, from, from];
  for (; depth > 0 && end < text.length; end++) {
    const character = text[end]!;
    if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (character === "," && depth === 1) begin = end + 1;
  }
  return text.slice(begin, end - 1).trim();
}

/** The waits of a file that are numbers above the longest. */
function longWaits(text: string): string[] {
  return [...text.matchAll(/\bsetTimeout\(|(?<!\.)\b(?:sleep|wait|delay|pause)\(/g)]
    .map(({ 0: { length }, index }) => lastArgument(text, index + length))
    .filter((ms) => /^[\d_.]+$/.test(ms) && Number(ms.replaceAll("_", "")) > longestMs);
}

/**
 * Finds tests that wait by the clock, and reasons that are no longer needed.
 *
 * @param files The text of each file by its path in the project.
 */
function waitProblems(files: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  for (const [path, text] of files) {
    if (!path.startsWith("tests/")) continue;
    const found = longWaits(text);
    const isExplained = Object.hasOwn(reasons, path);
    if (found.length > 0 && !isExplained) {
      problems.push(
        `${path} waits ${
          found.join(", ")
        } ms: wait for what it is about (tests/lib/until.ts, turns.ts), ` +
          "use virtual time, or give the reason in scripts/gate/check_waits.ts",
      );
    }
    if (found.length === 0 && isExplained) {
      problems.push(`${path} waits for nothing long: take its reason out of check_waits.ts`);
    }
  }
  return problems;
}

const files = await readProject(["tests"]);
reportProblems(`waits of ${files.size} files`, waitProblems(files));
