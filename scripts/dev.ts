import process from "node:process";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../runtimes/current_runtime.ts";
import { descriptors } from "../runtimes/descriptors.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { HelpRequest, UsageError } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";

interface Chore {
  readonly about: string;
  readonly isLaunched?: boolean;
  /** Seen from this file; default: `NAME.ts`. */
  readonly file?: string;
}

/** What only work on this repository needs: `scripts/NAME.ts`, or what it says. */
export const chores: Readonly<Record<string, Chore>> = {
  "compare": {
    about: "says what became faster or slower between two result files",
    isLaunched: true,
  },
  "consume-faults": {
    about: "runs consumers of queues while processes, servers and disks fail",
    file: "../scenarios/consume/faults/command.ts",
  },
  "enumerate": { about: "tries every schedule of a few deviations against the reference" },
  "extract-seed": {
    about: "fills a database to export from",
    file: "../scenarios/extract/seed/command.ts",
  },
  "mutate": { about: "changes the code to see whether a test notices" },
  "readme": { about: "writes measured figures into README.md and docs" },
  "release-check": { about: "installs what would be released in each runtime and bundler" },
  "semantics": {
    about: "asks the runtimes how their streams behave",
    file: "../scenarios/semantics/command.ts",
  },
  "serve-attack": {
    about: "attacks file servers, ours and others",
    file: "../scenarios/serve/attack/command.ts",
  },
  "simulate": { about: "runs the queue's consumers among faults by seed" },
};

const names = Object.keys(chores);

/** The command `deno task dev`; returns the exit code of the chore that is named first. */
export async function dev(args: readonly string[], signal: AbortSignal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h") {
    const lines = names.map((one) => `  ${one.padEnd(15)} ${chores[one]!.about}`);
    throw new HelpRequest(
      `Usage: deno task dev NAME [flags]; NAME --help says which\n\n${lines.join("\n")}`,
    );
  }
  if (!Object.hasOwn(chores, name)) {
    throw new UsageError(`deno task dev: the names are ${names.join(", ")}, got ${name}`);
  }
  const { isLaunched = false, file: own = `${name}.ts` } = chores[name]!;
  const file = isLaunched ? "launch.ts" : own.replaceAll("-", "_");
  const runtime = {
    ...{ ...currentRuntime(), executable: process.execPath, origin: "this process" },
    arguments: descriptors.deno.runArguments(),
  };
  const script = fileURLToPath(new URL(file, import.meta.url));
  return await runInRuntime(runtime, script, isLaunched ? [name, ...rest] : rest, signal);
}

if (import.meta.main) await runCommand(dev);
