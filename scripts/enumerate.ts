import process from "node:process";
import { fileURLToPath } from "node:url";
import { findRuntimes } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { UsageError } from "../scenarios/command_line/usage_error.ts";
import { readEnumerateFlags, runtimesOf } from "./enumerate/flags.ts";

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
  for (const runtime of await findRuntimes(runtimesOf(flags))) {
    if (signal.aborted) break;
    worst = Math.max(worst, await runInRuntime(runtime, script, args, signal));
  }
  return worst;
}

if (import.meta.main) await runCommand(enumerate);
