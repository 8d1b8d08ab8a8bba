import process from "node:process";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../runtimes/current_runtime.ts";
import { descriptors } from "../runtimes/descriptors.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { HelpRequest } from "./command_line/help_request.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";

/** What only work on this repository needs: `scripts/NAME.ts`, or `launch.ts NAME` where it says so. */
export const chores: Readonly<Record<string, { about: string; isLaunched?: boolean }>> = {
  "compare": {
    about: "says what became faster or slower between two result files",
    isLaunched: true,
  },
  "consume-faults": { about: "runs consumers of queues while processes, servers and disks fail" },
  "enumerate": { about: "tries every schedule of a few deviations against the reference" },
  "extract-seed": { about: "fills a database to export from" },
  "mutate": { about: "changes the code to see whether a test notices" },
  "readme": { about: "writes measured figures into README.md and docs" },
  "release-check": { about: "installs what would be released in each runtime and bundler" },
  "report": { about: "makes one HTML page of the last results", isLaunched: true },
  "semantics": { about: "asks the runtimes how their streams behave" },
  "serve-attack": { about: "attacks file servers, ours and others" },
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
  const { isLaunched = false } = chores[name]!;
  const file = isLaunched ? "launch.ts" : `${name.replaceAll("-", "_")}.ts`;
  const runtime = {
    ...{ ...currentRuntime(), executable: process.execPath, origin: "this process" },
    arguments: descriptors.deno.runArguments(),
  };
  const script = fileURLToPath(new URL(file, import.meta.url));
  return await runInRuntime(runtime, script, isLaunched ? [name, ...rest] : rest, signal);
}

if (import.meta.main) await runCommand(dev);
