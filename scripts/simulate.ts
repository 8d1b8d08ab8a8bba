import { fileURLToPath } from "node:url";
import { findRuntime } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";
import {
  type CommandLine,
  parseCommandLine,
} from "../scenarios/command_line/parse_command_line.ts";

const flags = {
  runs: { kind: "integer", about: "how many seeds; default: 1000", minimum: 1 },
  seed: { kind: "integer", about: "the first seed; default: 1", minimum: 0 },
  runtime: { kind: "text", value: "R", about: "default: deno", choices: runtimeNames },
  history: { kind: "boolean", about: "prints the history of each seed, failed or not" },
  workers: {
    kind: "integer",
    about: "one fleet of so many workers in place of seeds",
    minimum: 3,
    group: "A fleet",
  },
  partitions: { kind: "integer", about: "keys that keep their order; default: 4096", minimum: 1 },
  hours: { kind: "integer", about: "how long it works; default: 24", minimum: 1 },
  rate: {
    kind: "integer",
    about: "messages sent in a second; default: one for each 20 workers",
    minimum: 1,
  },
  results: { kind: "text", value: "FILE", about: "writes what the fleet came to as JSON" },
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
      "prints its history, and exits 1. With --workers it runs one fleet through the loss of\n" +
      "a zone, a hot key, messages that kill and a deploy, and says what each cost.",
    flags,
    examples: [
      "deno task dev simulate --runs 10000 --runtime node",
      "deno task dev simulate --workers 1000 --partitions 4096 --hours 24",
    ],
  });
}

const script = fileURLToPath(new URL("../tests/queue/simulation/run.ts", import.meta.url));

/** The command `deno task dev simulate`: the simulation of the queue in one runtime. */
export async function simulate(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { runtime = "deno" } = readSimulateFlags(args);
  return await runInRuntime(await findRuntime(runtime as RuntimeName), script, args, signal);
}

if (import.meta.main) await runCommand(simulate);
