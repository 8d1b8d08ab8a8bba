import { fileURLToPath } from "node:url";
import { findRuntimes } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { readSimulateFlags, runtimeOf } from "./simulate/flags.ts";

const script = fileURLToPath(new URL("../tests/queue/simulation/run.ts", import.meta.url));

/** The command `deno task dev simulate`: the simulation of the queue in one runtime. */
export async function simulate(args: readonly string[], signal: AbortSignal): Promise<number> {
  const [runtime] = await findRuntimes([runtimeOf(readSimulateFlags(args))]);
  return await runInRuntime(runtime!, script, args, signal);
}

if (import.meta.main) await runCommand(simulate);
