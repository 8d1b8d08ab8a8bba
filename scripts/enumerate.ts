import process from "node:process";
import { fileURLToPath } from "node:url";
import { findRuntimes } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import {
  type CommandLine,
  parseCommandLine,
  UsageError,
} from "../scenarios/command_line/parse_command_line.ts";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";

const flags = {
  runtime: { kind: "list", value: "R,…", about: "default: all", choices: runtimeNames },
  way: { kind: "list", value: "W,…", about: "default: both", choices: ["fuse", "pipeline"] },
  stages: { kind: "list", value: "N,…", about: "default: all", choices: ["0", "1", "2", "3"] },
  deviations: { kind: "integer", about: "the most in one schedule; default: 3 or 2", maximum: 3 },
  every: {
    kind: "integer",
    about: "of the schedules with the most deviations, every Nth; default: 1",
    minimum: 1,
  },
  examples: { kind: "integer", about: "differences shown, of each kind; default: 3" },
  answers: {
    kind: "text",
    value: "DIR",
    about: "keep the reference's answers there, for the next runtime",
  },
  schedule: { kind: "text", value: "JSON", about: "this schedule alone, as a difference names it" },
  library: { kind: "text", value: "FILE", about: "a mod.ts in place of this checkout's" },
  json: { kind: "boolean", about: "a line of JSON for each runtime" },
} as const;

/** What `deno task dev enumerate` was asked for. */
type EnumerateFlags = CommandLine<typeof flags>;

/**
 * Reads the command line of `deno task dev enumerate`.
 *
 * @throws {UsageError} If a flag is unknown or a value is not one it takes.
 */
export function readEnumerateFlags(args: readonly string[]): EnumerateFlags {
  return parseCommandLine(args, {
    command: "deno task dev enumerate",
    about:
      "Tries every schedule with at most so many deviations from a plain run: a method that does\n" +
      "not just return, or a step from outside. The reference implementation of the standard,\n" +
      "which REFERENCE_STREAMS names, the runtime's own streams and ours run each\n" +
      "of them. A difference that no rule of tests/enumeration/rules.ts explains is printed as\n" +
      "a script, and exits 1.",
    flags,
    examples: [
      "deno task dev enumerate --runtime bun --way fuse --stages 1 --deviations 2",
      "deno task dev enumerate --runtime node --deviations 1 --json",
    ],
  });
}

const script = fileURLToPath(new URL("../tests/enumeration/run.ts", import.meta.url));

/** The command `deno task dev enumerate`: the enumeration in each runtime, one after the other. */
export async function enumerate(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = readEnumerateFlags(args);
  if (!process.env.REFERENCE_STREAMS) {
    throw new UsageError(
      "REFERENCE_STREAMS is not set: name the module of the standard's reference implementation",
    );
  }
  let worst = 0;
  for (const runtime of await findRuntimes(flags.runtime as RuntimeName[] | undefined)) {
    if (signal.aborted) break;
    worst = Math.max(worst, await runInRuntime(runtime, script, args, signal));
  }
  return worst;
}

if (import.meta.main) await runCommand(enumerate);
