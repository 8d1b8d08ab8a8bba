import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import {
  type CommandLine,
  parseCommandLine,
} from "../../scenarios/command_line/parse_command_line.ts";

const flags = {
  runs: { kind: "integer", about: "how many seeds; default: 1000", minimum: 1 },
  seed: { kind: "integer", about: "the first seed; default: 1", minimum: 0 },
  runtime: { kind: "text", value: "R", about: "default: deno", choices: runtimeNames },
  history: { kind: "boolean", about: "prints the history of each seed, failed or not" },
} as const;

/** What `deno task dev simulate` was asked for. */
export type SimulateFlags = CommandLine<typeof flags>;

/**
 * Reads the command line of `deno task dev simulate`.
 *
 * @throws {UsageError} If a flag is unknown or a value is not one it takes.
 */
export function readSimulateFlags(args: readonly string[]): SimulateFlags {
  return parseCommandLine(args, {
    command: "deno task dev simulate",
    about:
      "Runs the queue's consumers between a broker and a store that fail as the seed says, on a\n" +
      "simulated clock. Each message must be stored once or be dead for a reason, those of\n" +
      "one key in order, and no worker may go on after its end. The first seed that breaks this\n" +
      "prints its history, and exits 1.",
    flags,
    examples: [
      "deno task dev simulate --runs 10000 --runtime node",
      "deno task dev simulate --runs 1 --seed 4711 --history",
    ],
  });
}

/** The runtime asked for. */
export function runtimeOf({ runtime }: SimulateFlags): RuntimeName {
  return (runtime ?? "deno") as RuntimeName;
}
