import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { parseCommandLine, resolvePath } from "../../scenarios/command_line/parse_command_line.ts";

/** What `deno task test` is asked for. */
export interface TestOptions {
  readonly runtimes: readonly RuntimeName[];
  readonly filter?: string;
  /** How many files are run at once at least. */
  readonly jobs: number | undefined;
  /** Files, folders and patterns to run in place of the library's; empty means those. */
  readonly paths: readonly string[];
  /** Which part is run if no path is given. */
  readonly size: "quick" | "rest" | undefined;
  /** How many times as long timers take. */
  readonly slowTimers: number | undefined;
  /** How many times as many random cases are tried; above 1, all that is promised is done in full. */
  readonly thorough: number | undefined;
  /** How many files to name that took the longest. */
  readonly slowest: number;
  readonly signal: AbortSignal;
}

/** Reads the command line of `deno task test`; `root` is the project's folder. */
export function readOptions(
  root: URL,
  args: readonly string[],
  signal: AbortSignal,
): TestOptions {
  const {
    all,
    rest,
    runtime,
    filter,
    jobs,
    "slow-timers": slowTimers,
    thorough,
    slowest = 0,
    _,
  } = parseCommandLine(args, {
    command: "deno task test",
    about:
      "Runs the library's tests under Deno, Bun and Node, and the documentation's examples under Deno.\n" +
      "PATH is a *_test.ts file, a folder or a pattern (its tests are run), or another .ts or .md file " +
      "(its examples are).",
    positional: "[PATH…]",
    flags: {
      all: { kind: "boolean", about: "run all there is, in the gate's measure" },
      rest: { kind: "boolean", about: "run what is left out without --all" },
      runtime: { kind: "list", value: "R,…", about: "default: all", choices: runtimeNames },
      filter: { kind: "text", value: "TEXT", about: "only tests whose name contains TEXT" },
      jobs: {
        kind: "integer",
        about: "run N files at once, and more while there is time to spare; default: one a core",
        minimum: 1,
      },
      "slow-timers": {
        kind: "integer",
        about:
          "make timers take N times as long, which shows the tests that they decide; default: 1",
        minimum: 1,
      },
      thorough: {
        kind: "integer",
        about:
          "try N times as many random cases, and do loads, leaks and kills in full; default: 1",
        minimum: 1,
      },
      slowest: { kind: "integer", about: "name the N slowest files; default: 0" },
    },
    examples: [
      "deno task test tests/stages --runtime bun",
      "deno task test --filter backpressure --slowest 5",
    ],
  });
  const paths = _.map((path) =>
    (existsSync(resolvePath(path)) ? relative(fileURLToPath(root), resolvePath(path)) : path)
      .replaceAll("\\", "/").replace(/^\.\//, "")
  );
  const runtimes = runtimeNames.filter((name) => runtime?.includes(name) ?? true);
  const isWhole = all || paths.length > 0 || (thorough ?? 1) > 1;
  const size = rest ? "rest" : isWhole ? undefined : "quick";
  return { runtimes, filter, jobs, paths, size, slowTimers, thorough, slowest, signal };
}
