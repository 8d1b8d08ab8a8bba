import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import type { Measured } from "./measured.ts";

const execute = promisify(execFile);
const entry = fileURLToPath(new URL("measure.ts", import.meta.url));
const timeoutMs = 120_000;

/**
 * Puts every question to one runtime, in a process of its own.
 *
 * @throws {Error} If that process fails, does not end, or is another runtime than asked for.
 */
export async function measureIn(runtime: Runtime, signal: AbortSignal): Promise<Measured> {
  const { executable, name, version } = runtime;
  let answer: string;
  try {
    const args = [...runtime.arguments, entry];
    const options = { signal, timeout: timeoutMs, maxBuffer: 2 ** 24 };
    answer = (await execute(executable, args, options)).stdout;
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string };
    const lines = (stderr || message).trim().split("\n");
    const telling = lines.find((line) => /error/i.test(line)) ?? lines.at(-1)!;
    throw new Error(`Cannot measure ${name} ${version}: ${telling.trim()}`, { cause });
  }
  const measured: Measured = JSON.parse(answer);
  if (measured.name !== name || measured.version !== version) {
    throw new Error(
      `Cannot measure ${name} ${version}: ${measured.name} ${measured.version} answered`,
    );
  }
  return measured;
}
