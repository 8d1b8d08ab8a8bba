import { spawn } from "node:child_process";
import type { Runtime } from "../../runtimes/find_runtime.ts";

/** Runs a script of ours in a runtime, with this process's own input and output; answers its exit code. */
export function forwardToRuntime(
  runtime: Runtime,
  script: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(runtime.executable, [...runtime.arguments, script, ...args], {
      stdio: "inherit",
    });
    const stop = (): void => void child.kill("SIGTERM");
    signal.addEventListener("abort", stop, { once: true });
    child.once("error", reject);
    child.once("close", (code) => {
      signal.removeEventListener("abort", stop);
      resolve(code ?? 1);
    });
  });
}
