/** Measures every workload in the runtime that executes this file: `deno task bench --all` in that alone. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../runtimes/current_runtime.ts";
import { descriptors } from "../runtimes/descriptors.ts";
import { findRuntime } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";

const driver = fileURLToPath(new URL("../scripts/bench.ts", import.meta.url));

await runCommand(async (args, signal) => {
  const { name } = currentRuntime();
  // This very executable, also where another is on PATH.
  process.env[descriptors[name].variable] = process.execPath;
  const amount = args.includes("--quick") ? [] : ["--all"];
  const flags = [...amount, "--runtime", name, ...args];
  return await runInRuntime(await findRuntime(name), driver, flags, signal);
});
