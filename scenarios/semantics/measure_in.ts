import { fileURLToPath } from "node:url";
import { commandOf } from "../../runtimes/command_of.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { runProcess } from "../../runtimes/run_process.ts";
import type { Measured } from "./measured.ts";

const entry = fileURLToPath(new URL("measure.ts", import.meta.url));
const timeoutMs = 120_000;

/**
 * Puts every question to one runtime, in a process of its own.
 *
 * @throws {Error} If that process fails, does not end, or is another runtime than asked for.
 */
export async function measureIn(runtime: Runtime, signal: AbortSignal): Promise<Measured> {
  const { name, version } = runtime;
  const [command, ...args] = commandOf(runtime, entry);
  const { code, stdout, output, timedOut } = await runProcess(command, args, { signal, timeoutMs });
  if (code !== 0) {
    const lines = output.trim().split("\n");
    const message = timedOut
      ? `did not end within ${timeoutMs / 1000} s`
      : lines.find((line) => /error/i.test(line)) ?? lines.at(-1)!;
    throw new Error(`Cannot measure ${name} ${version}: ${message.trim()}`);
  }
  const measured: Measured = JSON.parse(stdout);
  if (measured.name !== name || measured.version !== version) {
    throw new Error(
      `Cannot measure ${name} ${version}: ${measured.name} ${measured.version} answered`,
    );
  }
  return measured;
}
