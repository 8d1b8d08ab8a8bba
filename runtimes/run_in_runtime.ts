import { spawn } from "node:child_process";
import process from "node:process";
import { commandOf } from "./descriptors.ts";
import type { Runtime } from "./find_runtime.ts";

/**
 * Runs a script of ours in a chosen runtime as if it were this process: its output is ours, Ctrl-C reaches it and
 * gives it all the time that it takes. Returns its exit code. {@linkcode runProcess} is for what is only an answer.
 */
export function runInRuntime(
  runtime: Runtime,
  script: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  if (signal.aborted) return Promise.resolve(130);
  // A group of its own: Ctrl-C reaches it through us, once, and not a second time by the terminal.
  const [command, ...rest] = commandOf(runtime, script, args);
  const child = spawn(command, rest, {
    stdio: ["ignore", "inherit", "inherit"],
    detached: process.platform !== "win32",
    // For a script that would not outlive this process, also if it is killed.
    env: { ...process.env, HOSEPIPE_PARENT: String(process.pid) },
  });
  // Not child.kill: under Deno that reports the signal even if the child handled it.
  const interrupt = () => process.kill(child.pid!, "SIGINT");
  signal.addEventListener("abort", interrupt);
  // Whatever ends us takes the server along.
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      signal.removeEventListener("abort", interrupt);
      process.off("exit", kill);
      resolve(code ?? 1);
    });
  });
}
