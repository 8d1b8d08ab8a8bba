import { spawn } from "node:child_process";
import process from "node:process";
import type { Runtime } from "../../runtimes/find_runtime.ts";

/** Runs a script of ours under another runtime, as if it were this process; returns its exit code. */
export function runUnder(
  runtime: Runtime,
  script: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  if (signal.aborted) return Promise.resolve(130);
  // A group of its own: Ctrl-C reaches it through us, once, and not a second time by the terminal.
  const child = spawn(runtime.executable, [...runtime.arguments, script, ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    detached: process.platform !== "win32",
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
