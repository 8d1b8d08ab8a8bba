import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { commandOf } from "../../runtimes/descriptors.ts";
import { thisRuntime } from "./this_runtime.ts";

const root = new URL("../../", import.meta.url);

/** How a command ended. */
export interface ScriptEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface StartedScript {
  readonly child: ChildProcess;
  readonly ended: Promise<ScriptEnd>;
}

/** Waits for a process to end. */
export function endOf(child: ChildProcess): Promise<ScriptEnd> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text) => stdout += text);
  child.stderr?.setEncoding("utf8").on("data", (text) => stderr += text);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/**
 * Starts a file of the project under the runtime that runs the test.
 *
 * @param path From the project's folder, such as `scenarios/serve/command.ts`.
 * @param env Added to the variables of this process.
 */
export function startScript(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): StartedScript {
  const [command, ...rest] = commandOf(thisRuntime, fileURLToPath(new URL(path, root)), args);
  const child = spawn(command, rest, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { child, ended: endOf(child) };
}
