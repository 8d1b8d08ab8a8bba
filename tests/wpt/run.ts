// Runs the standard's own tests of streams against ours and prints what differs from native:
//   deno run -A tests/wpt/run.ts --suite transform-streams --runtime node --file errors
import { pathToFileURL } from "node:url";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { findRuntimes } from "../../runtimes/find_runtime.ts";
import { parseCommandLine } from "../../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../../scenarios/command_line/run_command.ts";
import { UsageError } from "../../scenarios/command_line/usage_error.ts";
import { differences, exclusionOf } from "./differences.ts";
import { type FileResult, runSuites } from "./run_suites.ts";
import { suites, wptFolder } from "./results.ts";

/** Passed, failed, hung and inapplicable tests for each suite, runtime and way, one line each. */
function summaryTable(files: readonly FileResult[]): string {
  const groups = new Map<string, { pass: number; fail: number; hang: number; other: number }>();
  for (const { suite, runtime, way, results } of files) {
    const key = `${suite.padEnd(18)} ${runtime.padEnd(5)} ${way.padEnd(7)}`;
    const counts = groups.get(key) ?? { pass: 0, fail: 0, hang: 0, other: 0 };
    groups.set(key, counts);
    for (const { status } of results) counts[status]++;
  }
  const pad = (value: number | string) => `${value}`.padStart(6);
  const head = `${"suite".padEnd(18)} ${"".padEnd(5)} ${"way".padEnd(7)}` +
    ["total", "pass", "fail", "hang", "other"].map(pad).join("");
  const lines = [...groups].map(([key, { pass, fail, hang, other }]) =>
    key + [pass + fail + hang + other, pass, fail, hang, other].map(pad).join("")
  );
  return [head, ...lines].join("\n");
}

await runCommand(async (args, signal) => {
  const given = parseCommandLine(args, {
    command: "deno run -A tests/wpt/run.ts",
    about:
      "Runs the standard's tests of streams, WPT_DIR, with native streams and with ours, each\n" +
      "file in a process of its own, and prints the tests that only native passes.",
    flags: {
      suite: { kind: "list", about: "default: all", choices: suites.map(({ name }) => name) },
      runtime: { kind: "list", value: "R,…", about: "default: all", choices: runtimeNames },
      file: { kind: "text", value: "TEXT", about: "only files whose name contains TEXT" },
      "ours-only": { kind: "boolean", about: "leaves native out: prints what ours does not pass" },
      all: { kind: "boolean", about: "prints excluded differences too" },
      brief: { kind: "boolean", about: "first line of each message only" },
      parallel: { kind: "integer", about: "processes at a time; default: 2", minimum: 1 },
      "test-timeout": {
        kind: "integer",
        value: "MS",
        about: "when a test counts as hanging; default: 3000",
        minimum: 1,
      },
      library: { kind: "text", value: "FILE", about: "a mod.ts in place of this checkout's" },
    },
    examples: [
      "WPT_DIR=wpt deno run -A tests/wpt/run.ts",
      "WPT_DIR=wpt deno run -A tests/wpt/run.ts --suite piping --runtime node --file abort",
    ],
  });
  const folder = wptFolder();
  if (folder === undefined) {
    throw new UsageError("WPT_DIR is not set: name a checkout of web-platform-tests");
  }
  const files = await runSuites({
    folder,
    suites: suites.map(({ name }) => name).filter((name) => given.suite?.includes(name) ?? true),
    runtimes: await findRuntimes(
      runtimeNames.filter((name) => given.runtime?.includes(name) ?? true),
    ),
    ways: given["ours-only"] ? ["ours"] : ["native", "ours"],
    file: given.file,
    library: given.library === undefined
      ? new URL("../../mod.ts", import.meta.url).href
      : pathToFileURL(given.library).href,
    testTimeoutMs: given["test-timeout"] ?? 3000,
    parallel: given.parallel ?? 2,
    signal,
  });
  if (signal.aborted) return;
  if (files.length === 0) throw new UsageError("No file of that name in these suites");
  const shown = differences(files).filter((difference) =>
    given.all || exclusionOf(difference) === undefined
  );
  for (const { suite, file, runtime, name, status, message } of shown) {
    const text = given.brief ? message.split("\n")[0]! : message;
    console.log(
      `✗ ${runtime} ${suite}/${file}: ${name}\n    ${status}: ${text.replaceAll("\n", "\n    ")}`,
    );
  }
  console.log(summaryTable(files));
  console.log(`${shown.length} differences${given.all ? "" : " that are not excluded"}`);
  return shown.length > 0 ? 1 : 0;
});
